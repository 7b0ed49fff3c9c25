# ROS 2 made by set-up, with this project's messages. To be sourced by bash.
ROS_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
_venv=$ROS_ROOT/venv _overlay=$ROS_ROOT/overlay
_site=lib/$(basename "$_venv"/lib/python3.*)/site-packages
_libs=$_overlay/lib:$_venv/lib
for _dir in "$_venv/$_site"/ros_*.libs; do _libs=$_libs:$_dir; done   # third-party libraries that the wheels carry
export ROS_ROOT ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3
export AMENT_PREFIX_PATH="$_overlay:$_venv" CMAKE_PREFIX_PATH="$_overlay:$_venv"
export PATH="$_venv/bin:$PATH"
export LD_LIBRARY_PATH="$_libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$_overlay/$_site${PYTHONPATH:+:$PYTHONPATH}"
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1          # else the wheels restart each Python to set LD_LIBRARY_PATH, which is set here
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp       # the only one among the wheels
export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"   # a trial stays off the network
export ROS_LOG_DIR="${ROS_LOG_DIR:-$(dirname "$ROS_ROOT")/log/ros}"
export FASTRTPS_DEFAULT_PROFILES_FILE="${FASTRTPS_DEFAULT_PROFILES_FILE:-$(cd "$ROS_ROOT/../.." && pwd)/config/fastdds.xml}"   # else large images are lost
unset _venv _overlay _site _libs _dir

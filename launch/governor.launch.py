"""Starts the governor: ros2 launch vigilant_governor governor.launch.py params_file:=FILE"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('params_file', description='Parameter file: backends, models, streams and their contracts'),
        DeclareLaunchArgument('namespace', default_value='', description='Namespace of the node'),
        DeclareLaunchArgument('use_sim_time', default_value='false', description='Take the time from /clock'),
        DeclareLaunchArgument('log_level', default_value='info', description='debug, info, warn, error or fatal'),
        LifecycleNode(  # it configures and activates itself, unless its parameter autostart is false
            package='vigilant_governor',
            executable='governor',
            name='governor',
            namespace=LaunchConfiguration('namespace'),
            output='screen',
            parameters=[
                LaunchConfiguration('params_file'),
                {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)},
            ],
            arguments=['--ros-args', '--log-level', LaunchConfiguration('log_level')],
        ),
    ])

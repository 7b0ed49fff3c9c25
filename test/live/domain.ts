// Gives each live test file a ROS domain of its own, so that a straggler of one file cannot reach the next.
// Set before any ROS process or context starts; child processes inherit it.
const domain = (process.pid % 100) + 1; // each file has its own fork; 1 to 100 stay clear of ephemeral ports
process.env['ROS_DOMAIN_ID'] = String(domain);

/** What a bag with one MCAP file says of itself, in the version that every supported release reads. */
import { stringify } from 'yaml';

const VERSION = 5;
/** The readers of ROS are simple ones. */
const PLAIN = { aliasDuplicateObjects: false, lineWidth: 0 };
const NS_FOREVER = { sec: 9_223_372_036, nsec: 854_775_807 };

export interface WrittenTopic {
  readonly name: string;
  readonly type: string;
  /** History kept for slow subscribers. */
  readonly depth: number;
  messages: number;
}

export interface WrittenBag {
  readonly file: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly topics: readonly WrittenTopic[];
}

export interface BagMetadata {
  /** metadata.yaml */
  readonly beside: string;
  /** Of the record `rosbag2` in the file: the same without its outer key, without which no reader of rosbag2 opens the bag. */
  readonly inside: string;
}

export function bagMetadata({ file, startNs, endNs, topics }: WrittenBag): BagMetadata {
  const messageCount = topics.reduce((sum, { messages }) => sum + messages, 0);
  const duration = { nanoseconds: endNs - startNs };
  const startingTime = { nanoseconds_since_epoch: startNs };
  const information = {
    version: VERSION,
    storage_identifier: 'mcap',
    duration,
    starting_time: startingTime,
    message_count: messageCount,
    topics_with_message_count: topics.map((topic) => ({
      topic_metadata: {
        name: topic.name,
        type: topic.type,
        serialization_format: 'cdr',
        offered_qos_profiles: qosProfiles(topic.depth),
      },
      message_count: topic.messages,
    })),
    compression_format: '',
    compression_mode: '',
    relative_file_paths: [file],
    files: [{ path: file, starting_time: startingTime, duration, message_count: messageCount }],
  };
  return { beside: stringify({ rosbag2_bagfile_information: information }, PLAIN), inside: stringify(information, PLAIN) };
}

/** Reliable and volatile, as the live node publishes; policies by their numbers. */
export function qosProfiles(depth: number): string {
  const profile = {
    history: 1,
    depth,
    reliability: 1,
    durability: 2,
    deadline: NS_FOREVER,
    lifespan: NS_FOREVER,
    liveliness: 1,
    liveliness_lease_duration: NS_FOREVER,
    avoid_ros_namespace_conventions: false,
  };
  return stringify([profile], PLAIN).trimEnd();
}

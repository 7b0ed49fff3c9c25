/**
 * What this node uses of rclnodejs. Its own types come only with it and differ with the message packages around it; these hold on a
 * machine without ROS too, and are what tests stand in for.
 */

export interface Rclnodejs {
  init(context: RclContext, argv: readonly string[]): Promise<void>;
  shutdown(): void;
  isShutdown(): boolean;
  removeSignalHandlers(): void;
  readonly Context: { defaultContext(): RclContext };
  readonly Node: new (name: string, namespace: string, context: RclContext, options: RclNodeOptions) => RclNode;
  readonly NodeOptions: new () => RclNodeOptions;
  readonly QoS: new (history: number, depth: number, reliability: number, durability: number) => RclQos;
  readonly Parameter: new (name: string, type: number, value: unknown) => RclParameter;
  readonly ParameterDescriptor: new (name: string, type: number, description: string, readOnly: boolean) => RclParameterDescriptor;
  readonly lifecycle: {
    readonly LifecycleNode: new (name: string, namespace: string, context: RclContext, options: RclNodeOptions) => RclLifecycleNode;
    readonly CallbackReturnCode: { readonly SUCCESS: number; readonly FAILURE: number };
  };
}

declare const opaque: unique symbol;

/** Things of the binding that are only handed back to it. */
export interface RclContext {
  readonly [opaque]?: 'context';
}
export interface RclQos {
  readonly [opaque]?: 'qos';
}
export interface RclParameter {
  readonly name: string;
  /** One of PARAMETER_TYPES. */
  readonly type: number;
  readonly value: unknown;
}
/** rcl_interfaces/msg/SetParametersResult */
export interface RclSetParametersResult {
  readonly successful: boolean;
  readonly reason: string;
}
export interface RclParameterDescriptor {
  /** Throws for a parameter of another type. */
  validateParameter(parameter: RclParameter): void;
  additionalConstraints: string;
  /** As rcl_interfaces/msg/ParameterDescriptor. */
  toMessage(): object;
}

export interface RclNodeOptions {
  parameterOverrides: RclParameter[];
}

/** Names a message type whose C type support is installed; publishing serialised messages needs no generated JavaScript. */
export interface RclMessageType {
  (): void;
  type(): { readonly pkgName: string; readonly subFolder: string; readonly interfaceName: string };
}

export interface RclMessageInfo {
  /** When it was published, by the system clock, in nanoseconds. */
  readonly sourceTimestamp: bigint;
  readonly publicationSequenceNumber: bigint;
  readonly publisherGid: Uint8Array;
}

export interface RclPublisher {
  readonly topic: string;
  /** Subscribers matched now. */
  readonly subscriptionCount: number;
  publish(serialised: Buffer): void;
  /** Blocks until all subscribers have everything, or the time is over. */
  waitForAllAcked(timeoutNs: bigint): boolean;
}

export interface RclSubscription {
  /** Resolved and remapped. */
  readonly topic: string;
}

export interface RclLogger {
  info(text: string): unknown;
  warn(text: string): unknown;
  error(text: string): unknown;
}

/** Message info is taken from the middleware only for a callback that declares two parameters. */
export type RclMessageCallback = ((message: unknown) => void) | ((message: unknown, info: RclMessageInfo) => void);

/** Sends the one answer of a request, at once or later. */
export interface RclServiceResponse {
  send(response: object): void;
}

export interface RclNode {
  name(): string;
  getFullyQualifiedName(): string;
  getLogger(): RclLogger;
  getClock(): { now(): { readonly nanoseconds: bigint } };
  getRMWImplementationIdentifier(): string;
  createPublisher(type: RclMessageType, topic: string, options: { qos: RclQos }): RclPublisher;
  createSubscription(type: string, topic: string, options: { qos: RclQos }, callback: RclMessageCallback): RclSubscription;
  destroySubscription(subscription: RclSubscription): void;
  createService(type: string, name: string, options: object, callback: (request: unknown, response: RclServiceResponse) => void): unknown;
  getPublishersInfoByTopic(topic: string, noDemangle: boolean): readonly unknown[];
  hasParameter(name: string): boolean;
  declareParameters(parameters: readonly RclParameter[], descriptors: readonly RclParameterDescriptor[]): unknown;
  /** Before anything is checked: may put other values in the place of those given. */
  addPreSetParametersCallback(callback: (parameters: readonly RclParameter[]) => readonly RclParameter[]): void;
  /** Asked before parameters change; also when some are declared. */
  addOnSetParametersCallback(callback: (parameters: readonly RclParameter[]) => RclSetParametersResult): void;
  spin(): void;
  destroy(): void;
}

export interface RclState {
  readonly id: number;
  readonly label: string;
}

/** Each method triggers the transition and finishes it with what the registered callback returns. */
export interface RclLifecycleNode extends RclNode {
  readonly currentState: RclState;
  configure(): RclState;
  activate(): RclState;
  deactivate(): RclState;
  cleanup(): RclState;
  shutdown(): RclState;
  registerOnConfigure(callback: () => number): void;
  registerOnActivate(callback: () => number): void;
  registerOnDeactivate(callback: () => number): void;
  registerOnCleanup(callback: () => number): void;
  registerOnShutdown(callback: () => number): void;
}

/** A lifecycle_msgs/srv/ChangeState request that waits for its answer. */
export interface RclChangeStateRequest {
  readonly transition: { readonly id: number; readonly label: string };
}
export interface RclChangeStateResponse {
  send(response: { success: boolean }): void;
}

/** rcl_interfaces/msg/ParameterType; a const enum in the binding, which cannot be used from outside. */
export const PARAMETER_TYPES = {
  not_set: 0,
  bool: 1,
  integer: 2,
  double: 3,
  string: 4,
  bool_array: 6,
  integer_array: 7,
  double_array: 8,
  string_array: 9,
} as const;

/** rmw QoS policies by number. */
export const KEEP_LAST = 1;
export const RELIABILITY = { reliable: 1, best_effort: 2 } as const;
export const DURABILITY = { transient_local: 1, volatile: 2 } as const;

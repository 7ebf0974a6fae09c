/**
 * A part of the program that runs until it is stopped. Services start in the order of their list and stop in the
 * reverse order.
 */
export type Service = { start?(): Promise<void> | void; stop?(): Promise<void> | void };

export async function startAll(services: readonly Service[]): Promise<void> {
  for (const service of services) await service.start?.();
}

export async function stopAll(services: readonly Service[]): Promise<void> {
  for (const service of services.toReversed()) await service.stop?.();
}

import { isReady } from './node.ts';
import type { Trial } from './trial.ts';

/**
 * A load balancer without retries checks five times a second which nodes are ready, and callers use only the ready
 * nodes. The returned function stops the load balancer.
 */
export function followReady(trial: Trial): () => Promise<void> {
  const { region } = trial;
  let ready = region.api;
  let isLooking = true;
  const look = async (): Promise<void> => {
    while (isLooking) {
      const answers = await Promise.all(region.api.map((node) => isReady(node.url)));
      ready = region.api.filter((_, at) => answers[at]);
      await trial.pause(200);
    }
  };
  const looking = look();
  trial.callable = () => ready;
  return async () => {
    isLooking = false;
    await looking;
    trial.callable = () => region.api;
  };
}

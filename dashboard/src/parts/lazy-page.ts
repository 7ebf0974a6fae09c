import { lazyRouteComponent } from '@tanstack/react-router';
import { reachServer } from '../api/client.ts';

/**
 * A page whose code comes when it is first opened. If the code does not load, the router reloads the whole document,
 * which helps after an update; while the network is away it would leave nothing but the browser's own error.
 */
export const lazyPage = ((load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        await reachServer();
        throw error;
      }),
    name,
  )) as typeof lazyRouteComponent;

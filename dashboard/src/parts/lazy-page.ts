import { lazyRouteComponent } from '@tanstack/react-router';
import { reachServer } from '../api/client.ts';

/**
 * A page whose code loads when it is first opened. If the code does not load, the router reloads the document, which
 * helps after an update. Without a network, a reload would leave only the browser's own error page, so an error is
 * shown instead.
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

import type { MessagesDeps } from '../../../features/messages/deps.ts';

/** The dependencies of the routes in this folder. */
export type ChannelRoutesDeps = MessagesDeps & { baseUrl: string };

import type { MessagesDeps } from '../../../features/messages/deps.ts';
import type { Paging } from '../../route/paging.ts';

/** The dependencies of the routes in this folder. */
export type ChannelRoutesDeps = MessagesDeps & { baseUrl: string; paging: Paging };

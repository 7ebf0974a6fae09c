import type { Access } from '../../../access/access.ts';
import type { ExpectRunDeps, FollowRunDeps } from '../../../features/triggers/follow-run.ts';
import type { TriggersDeps } from '../../../features/triggers/deps.ts';
import type { Paging } from '../../route/paging.ts';

/** The dependencies of the routes in this folder. */
export type TriggerRoutesDeps = TriggersDeps &
  FollowRunDeps &
  ExpectRunDeps & {
    paging: Paging;
    baseUrl: string;
    access: Pick<Access, 'admit'>;
  };

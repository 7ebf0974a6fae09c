import { POSITION_PATTERN, type Topic } from '../../../contract/dashboard/changes.ts';
import type { ChangeWatch } from '../../features/changes/watch-changes.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Maximum number of windows of one person with an open stream. Windows above this number poll. */
const STREAMS_PER_PERSON = 24;
/** A header with other text is ignored. */
const POSITION = new RegExp(POSITION_PATTERN);

/** The stream to which pages subscribe. The folder src/features/changes explains how changes are detected. */
export const changeRoutes = ({ route, deps }: RouteDeps<{ changes: Pick<ChangeWatch, 'watch'> }>): Route[] => [
  route('watchChanges', ({ orgId, caller, query, reply }) => {
    const { request } = reply;
    // The header is newer than the query, because a browser that reconnects sends the header, but still uses its first
    // URL.
    const given = request.headers['last-event-id'] ?? query.since;
    let leave: (() => void) | undefined;
    const stream = request.server.eventStreams.open(request, reply, {
      groups: { [`person ${caller.user.id}`]: STREAMS_PER_PERSON },
      audible: true,
      onEnd: () => leave?.(),
    });
    if (stream.ended) return reply;
    leave = deps.changes.watch({
      orgId,
      userId: caller.user.id,
      sessionId: caller.sessionId,
      topics: query.topics.split(',') as Topic[],
      position: typeof given === 'string' && POSITION.test(given) ? given : null,
      onChange: (topics, position) => stream.send('changed', { topics }, position),
      onEnd: () => stream.end(),
    });
    return reply;
  }),
];

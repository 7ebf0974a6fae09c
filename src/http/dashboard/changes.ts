import type { Topic } from '../../../contract/dashboard/changes.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** Windows of one person that are told of changes at the same time; one more polls. */
const STREAMS_PER_PERSON = 24;
/** What a position is made of; anything else is as good as none. */
const POSITION = /^[\w.-]{1,200}$/;

/** Pages listen here; src/features/changes says how changes are seen. */
export const changeRoutes = ({ route, room }: Desk): Route[] => [
  route('watchChanges', ({ orgId, caller, query, reply }) => {
    const { request } = reply;
    const given = request.headers['last-event-id'];
    let leave: (() => void) | undefined;
    const stream = request.server.eventStreams.open(request, reply, {
      group: `person ${caller.user.id}`,
      perGroup: STREAMS_PER_PERSON,
      audible: true,
      onEnd: () => leave?.(),
    });
    if (stream.ended) return reply;
    leave = room.changes.watch({
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

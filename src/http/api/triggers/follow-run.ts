import { RUN_EVENTS } from '../../../../contract/run-events.ts';
import type { Route, RouteAccess } from '../../route/route.ts';
import { runEvents } from './examples.ts';
import type { TriggerRoutesDeps } from './deps.ts';
import { STREAM_ANSWER, streamRun } from './stream-run.ts';

const access: RouteAccess = { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id', client: true };

/** Streams the events of a run in progress. */
export const followRunRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/triggers/:agent_id/:trigger_id/runs/:run_id/events',
  access,
  operation: {
    id: 'followRun',
    summary: 'Stream a run',
    description:
      'Server-sent events: the text of the agent’s message while it is written, and each message when it is stored. The stream ends when the run has ended, when the key loses its access, and after 15 minutes. Reconnect with `Last-Event-ID` to get the events after the last message that arrived.',
    tag: 'Triggers',
  },
  headers: {
    'Last-Event-ID': {
      description: 'The last `id` that the stream sent. The stream sends only messages after this id.',
    },
  },
  responses: { 200: { description: STREAM_ANSWER, events: RUN_EVENTS, exampleEvents: runEvents } },
  problems: ['run_not_found'],
  handle(request, reply) {
    const { run_id: runId } = request.params as { run_id: string };
    return streamRun(deps, access, request, reply, {
      triggerId: request.admission.trigger!.id,
      runId,
      until: 'end',
    });
  },
});

import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { reminderText, silentStep } from '../../answering/no-reply.ts';
import type { PlayedAgent, Talk } from './play-turn.ts';

/** Returns the next step of the agent while the person is silent, without any wait. */
export function trySilence({ name, definition }: PlayedAgent, talk: Talk, steps: number): PlaygroundTurn {
  const step = silentStep(definition, steps);
  const variables = { ...talk.variables, agent: { name } };
  const text = step?.kind === 'remind' ? reminderText(step.text, { ...talk, variables }) : null;
  return {
    messages: text === null ? [] : [{ content: { type: 'text', text }, sources: [] }],
    state: talk.state,
    next: step?.kind === 'complete' ? 'completed' : step?.kind === 'hand_off' ? 'handed_off' : 'waiting_for_user',
    tags: [],
    opted_out: false,
    trace: {
      provider: 'no_reply',
      steps: step === null ? [] : [{ kind: step.kind, detail: 'The person does not answer.' }],
    },
  };
}

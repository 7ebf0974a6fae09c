import { handOff, optOut } from './embedded/end-conversation.ts';
import { currentStep, startsOnOpen } from './embedded/guide-steps.ts';
import { heardIn, mayHandOver, obey, ruleFor } from './embedded/apply-rules.ts';
import { embeddedProvider } from './embedded/provider.ts';
import { beginTalk, endTalk, note, ownText, say } from './embedded/talk.ts';
import { asksToStop } from './opt-out.ts';
import type { TurnRequest, TurnResult } from './provider.ts';

/**
 * Decides a turn before any model is called, so that stop words, a request for a human, rules and guided steps work in
 * the same way with every provider. If this returns no turn, the model answers. The tags of matching rules are added in
 * both cases.
 */
export const decideBeforeModel = async (request: TurnRequest): Promise<{ turn: TurnResult | null; tags: string[] }> => {
  const talk = beginTalk(request);
  if (currentStep(talk) !== null || (talk.first && startsOnOpen(talk)))
    return { turn: await embeddedProvider.turn(request), tags: [] };
  if (asksToStop(request.input)) {
    optOut(talk, 'The person asked to stop.');
    return { turn: endTalk(talk), tags: [] };
  }
  for (const heard of heardIn(request.input)) {
    const rule = ruleFor(talk, heard);
    if (rule !== null) obey(talk, rule);
    else if (mayHandOver(talk, heard)) handOff(talk, 'asked', 'The person asked for a person.');
    else continue;
    return { turn: endTalk(talk), tags: [] };
  }
  return { turn: null, tags: [...talk.tags] };
};

/** Hands the conversation over to the team, with the agent's own text for a hand-off. */
export function handOffTurn(request: TurnRequest, why: string): TurnResult {
  const talk = beginTalk(request);
  handOff(talk, 'stand_in', why);
  return endTalk(talk);
}

/** No model gave a usable answer: the person reads that the agent does not know. */
export function dontKnowTurn(request: TurnRequest): TurnResult {
  const talk = beginTalk(request);
  note(talk, 'fallback', 'dont_know');
  say(talk, ownText(talk, talk.definition.dont_know) ?? talk.texts.dont_know);
  return endTalk(talk);
}

import { handOff, optOut } from './embedded/end-conversation.ts';
import { currentStep, startsOnOpen } from './embedded/guide-steps.ts';
import { readTexts, mayHandOver, applyRule, ruleFor } from './embedded/apply-rules.ts';
import { embeddedProvider } from './embedded/provider.ts';
import { beginTurn, endTurn, note, ownText, say } from './embedded/embedded-turn.ts';
import { asksToStop } from './stop-words.ts';
import type { TurnRequest, TurnResult } from './provider.ts';

/**
 * Decides a turn before any model is called, so that stop words, a request for a human, rules and guided steps work in
 * the same way with every provider. If the function returns no turn, the model answers. The conversation gets the tags
 * of matching rules, also if the model answers.
 */
export const decideBeforeModel = async (request: TurnRequest): Promise<{ turn: TurnResult | null; tags: string[] }> => {
  const turn = beginTurn(request);
  if (currentStep(turn) !== null || (turn.first && startsOnOpen(turn)))
    return { turn: await embeddedProvider.turn(request), tags: [] };
  if (asksToStop(request.input)) {
    optOut(turn, 'The person asked to stop.');
    return { turn: endTurn(turn), tags: [] };
  }
  for (const message of readTexts(request.input)) {
    const rule = ruleFor(turn, message);
    if (rule !== null) applyRule(turn, rule);
    else if (mayHandOver(turn, message)) handOff(turn, 'asked', 'The person asked for a person.');
    else continue;
    return { turn: endTurn(turn), tags: [] };
  }
  return { turn: null, tags: [...turn.tags] };
};

/** Hands the conversation over to the team, with the agent's own text for a hand-off. */
export function handOffTurn(request: TurnRequest, why: string): TurnResult {
  const turn = beginTurn(request);
  handOff(turn, 'stand_in', why);
  return endTurn(turn);
}

/** Tells the person that the agent does not know, because no model gave a usable answer. */
export function dontKnowTurn(request: TurnRequest): TurnResult {
  const turn = beginTurn(request);
  note(turn, 'fallback', 'dont_know');
  say(turn, ownText(turn, turn.definition.dont_know) ?? turn.texts.dont_know);
  return endTurn(turn);
}

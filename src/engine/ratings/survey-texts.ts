import type { AgentDefinition } from '../../../contract/agents.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { SURVEY_TEXTS } from '../../../contract/ratings.ts';
import { renderText, type Variables } from '../templates.ts';

type Survey = NonNullable<AgentDefinition['survey']>;
type Choices = Extract<MessageContent, { type: 'choices' }>;

/** Writes the question with its scores, from the worst to the best. In a numbered list, each number is the score. */
export function surveyQuestion({ question }: Survey, locale: string | null, variables: Variables): Choices {
  const texts = textsIn(locale);
  const choices = texts.scores.map((label, index) => ({ id: String(index + 1), label }));
  return { type: 'choices', text: renderText(question, locale, variables)?.trim() || texts.question, choices };
}

/** Writes the answer to a score. The text invites the person to write a comment. */
export const surveyThanks = ({ thanks }: Survey, locale: string | null, variables: Variables): string =>
  renderText(thanks, locale, variables)?.trim() || textsIn(locale).thanks;

function textsIn(locale: string | null) {
  const language = locale?.split(/[-_]/, 1)[0]!.toLowerCase();
  return language === 'ar' || language === 'hi' ? SURVEY_TEXTS[language] : SURVEY_TEXTS.en;
}

import type { AgentDefinition } from '../../../../../contract/agents.ts';
import type { TestCase } from '../../../../../contract/dashboard/test-cases.ts';

/** The languages of the dashboard, repeated here because tests import this file without the browser's types. */
type Language = 'en' | 'ar';
type In<T> = Record<Language, T>;

/**
 * A template is a complete agent to start from. The agent of a template answers from its documents and rules without a
 * model. The template's tests check facts that must stay true after the documents are adapted. Texts for customers are
 * in both languages. Texts for the owner are in the owner's language.
 */
export type Template = {
  definition: Omit<AgentDefinition, 'instructions'>;
  instructions: In<string>;
  documents: In<readonly { name: string; text: string }[]>;
  cases: In<TestCase[]>;
};

type Start = { definition: AgentDefinition; documents: readonly { name: string; text: string }[]; cases: TestCase[] };

export const startOf = (template: Template, language: Language): Start => ({
  definition: { instructions: template.instructions[language], ...template.definition },
  documents: template.documents[language],
  cases: template.cases[language],
});

import type { AgentDefinition } from '../../../../../contract/agents.ts';
import type { TestCase } from '../../../../../contract/dashboard/test-cases.ts';

/** Those of the dashboard. Named here, since tests read this file without a browser's types. */
type Language = 'en' | 'ar';
type In<T> = Record<Language, T>;

/**
 * A whole agent to begin with: it answers from its documents and rules without a model, and its tests say what must
 * stay true when the documents are made one's own. Texts that people read are there in both languages at once; what
 * its owner reads and edits is in the owner's language.
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

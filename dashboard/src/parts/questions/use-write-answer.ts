import { useMutation, useQueryClient } from '@tanstack/react-query';
import { cutText } from '../../../../contract/cut-text.ts';
import type { MissedQuestion } from '../../../../contract/dashboard/questions.ts';
import type { CaseResult, TestCase } from '../../../../contract/dashboard/test-cases.ts';
import { MAX_WORDING_CHARACTERS } from '../../../../contract/dashboard/wordings.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { call, type Problem } from '../../api/client.ts';
import { refetch } from '../../api/queries.ts';
import { withFreeName } from '../test-cases/case-from-message.ts';

export type Written = { question: string; answer: string; addTest: boolean };
type Params = { org_id: string; agent_id: string };

/** The names of created documents by their text. The steps continue after the dialog was closed. */
export type Made = Map<string, string>;

/**
 * Saves an answer as a document, tests it immediately, and can add a test that protects it. Completed steps are not
 * repeated, so a retry after a failed step creates neither the document nor the test again.
 */
export function useWriteAnswer(params: Params, item: MissedQuestion, made: Made) {
  const client = useQueryClient();
  return useMutation<CaseResult, Problem, Written>({
    mutationFn: async ({ question, answer, addTest }) => {
      const name = cutText(question.replaceAll(/\s+/g, ' '), MAX_NAME_CHARACTERS).trim();
      const text = `# ${question.replaceAll(/\s+/g, ' ')}\n\n${answer}`;
      const [example] = item.examples;
      // The text of a person is erased together with this person.
      const from = example && question === item.question ? { from: example.end_user_id } : {};
      if (!made.has(text)) {
        const answers = question.length <= MAX_WORDING_CHARACTERS ? { answers: { question, ...from } } : {};
        const document = await call('createDocument', { params, body: { name, text, ...answers } });
        made.set(text, document.name);
      }
      const one: TestCase = {
        name,
        ...from,
        turns: [{ say: question, expect: { cites: made.get(text)! } }],
      };
      const result = await call('testAgent', { params, body: { case: one } });
      if (addTest) {
        const { cases } = await call('readSuite', { params });
        if (!cases.some(({ turns }) => JSON.stringify(turns) === JSON.stringify(one.turns)))
          await call('setSuite', { params, body: { cases: [...cases, withFreeName(one, cases)] } });
      }
      await call('settleMissedQuestions', { params, body: { message_ids: item.message_ids } });
      return result;
    },
    onSettled: () => refetch(client, ['listDocuments', 'readKnowledgeUse', 'readSuite', 'listWordings']),
  });
}

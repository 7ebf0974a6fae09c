import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import { useWords } from '../../language/words.tsx';
import { words } from './words.ts';

export function usePersonName(): (person: ConversationSummary['end_user']) => string {
  const say = useWords(words);
  return ({ name, external_id }) => name ?? external_id ?? say('anonymous');
}

import type { ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useMemberNames } from '../use-record-names.ts';
import { actionTexts } from './action-labels.ts';

/** Describes the actions of a saved reply, each as a text. */
export function useActionTexts({ add_tags: tags, assign_to: to, resolve }: ReplyActions): string[] {
  const say = useTexts(actionTexts);
  const nameOf = useMemberNames();
  return [
    ...(tags ? [say('add_tags', { tags: list(say.language, tags) })] : []),
    ...(to === undefined
      ? []
      : [to === 'me' ? say('assign_me') : say('assign_to', { name: nameOf(to) ?? say('former') })]),
    ...(resolve ? [say('resolve')] : []),
  ];
}

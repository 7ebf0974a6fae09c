import { ActionIcon, Tooltip } from '@mantine/core';
import { IconLanguage, IconSparkles } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DraftedReply } from '../../../../contract/dashboard/member-help.ts';
import { useAct } from '../../api/queries.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import type { useDraftText } from '../../parts/use-draft-text.ts';
import { helpTexts } from './help-texts.ts';
import { useHelp } from './use-help.ts';
import classes from './help.module.css';

type SetText = ReturnType<typeof useDraftText>[1];

/** Writes text of a model or of the documents into the reply field. Only the member sends the suggested texts. */
export function useReplyHelp(conversation_id: string, setText: SetText) {
  const say = useTexts(helpTexts);
  const params = { org_id: useOrganization().id, conversation_id };
  const draft = useAct('draftReply', { refresh: [] });
  const translation = useAct('translateText', { refresh: [] });
  const reset = (): void => {
    draft.reset();
    translation.reset();
  };
  const insert = ({ text }: DraftedReply): void =>
    text === ''
      ? notifyDone(say('no_draft'))
      : setText((now) => (now.trim() === '' ? text : `${now.trimEnd()}\n\n${text}`));
  return {
    drafted: draft.data ?? null,
    error: draft.error ?? translation.error,
    isPending: draft.isPending || translation.isPending,
    reset,
    write: (): void => {
      reset();
      draft.mutate({ params }, { onSuccess: insert });
    },
    translate: (text: string): void => {
      translation.reset();
      const onSuccess = ({ text: translated }: { text: string }): void => {
        // Letters that were typed after the request stay.
        setText((now) => (now === text ? translated : `${now}\n\n${translated}`));
        notifyDone(say('translated'));
      };
      translation.mutate({ params, body: { text, to: 'person' } }, { onSuccess });
    },
  };
}

type Help = ReturnType<typeof useReplyHelp>;

/** Shows who wrote the draft, and from which documents. */
export function DraftLine({ help: { drafted, error } }: { help: Help }): ReactNode {
  const say = useTexts(helpTexts);
  if (error) return <ProblemAlert problem={error} />;
  if (drafted === null || drafted.text === '') return null;
  const { model, sources } = drafted;
  const documents = [...new Set(sources.map(({ document }) => document))];
  return (
    <div className={classes.draft} role="status">
      <span>{model === null ? say('drafted_passage') : say.rich('drafted', { model: <bdi>{model}</bdi> })}</span>
      {documents.length > 0 && <bdi>{say('sources', { documents: list(say.language, documents) })}</bdi>}
    </div>
  );
}

type ButtonsProps = { conversationId: string; text: string; help: Help };

export function HelpButtons({ conversationId, text, help }: ButtonsProps): ReactNode {
  const say = useTexts(helpTexts);
  const { translation } = useHelp(conversationId);
  return (
    <>
      <Tooltip label={say('draft')}>
        <ActionIcon size={34} variant="default" aria-label={say('draft')} loading={help.isPending} onClick={help.write}>
          <IconSparkles size={18} />
        </ActionIcon>
      </Tooltip>
      {translation && (
        <Tooltip label={say('translate_reply')}>
          <ActionIcon
            size={34}
            variant="default"
            aria-label={say('translate_reply')}
            disabled={text.trim() === '' || help.isPending}
            onClick={() => help.translate(text)}
          >
            <IconLanguage size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </>
  );
}

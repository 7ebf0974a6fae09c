import { Anchor, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import type { ConversationNote, ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { clock } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useMay, useOrganization, useSession } from '../../session/session.ts';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

type Props = { note: ConversationNote; item: ConversationRecord };

/** Shows a note between members. A note is as wide as the page and has its own color, unlike a message. */
export function NoteEntry({ note, item }: Props): ReactNode {
  const say = useTexts(texts);
  const people = useMemberNames();
  const { user } = useSession();
  const may = useMay('member');
  return (
    <div className={classes.entry} data-role="note" data-note={note.id}>
      <p dir="auto">
        <Words text={note.text} names={note.mentions.flatMap((id) => people(id) ?? [])} />
      </p>
      <div className={classes.meta}>
        {say('note')}
        {' · '}
        <bdi>{people(note.author_id) ?? say('member')}</bdi>
        {' · '}
        <time dateTime={note.created_at}>{clock(say.language, note.created_at)}</time>
        {may && note.author_id === user.id && (
          <>
            {' · '}
            <DeleteNote note={note} item={item} />
          </>
        )}
      </div>
    </div>
  );
}

/** Highlights the names of mentioned members. */
function Words({ text, names }: { text: string; names: readonly string[] }): ReactNode {
  if (names.length === 0) return text;
  const named = names.toSorted((a, b) => b.length - a.length).map((name) => `@${name}`);
  const parts: ReactNode[] = [];
  for (let rest = text; rest !== '';) {
    const next = named
      .map((name) => ({ name, at: rest.indexOf(name) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)[0];
    if (!next) return [...parts, rest];
    parts.push(rest.slice(0, next.at), <b key={parts.length}>{next.name}</b>);
    rest = rest.slice(next.at + next.name.length);
  }
  return parts;
}

function DeleteNote({ note, item }: Pick<Props, 'note' | 'item'>): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [opened, setOpened] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const remove = useAct('deleteNote', { refresh: ['readConversation'] });
  const params = { org_id, conversation_id: item.id, note_id: note.id };
  return (
    <>
      <Anchor ref={opener} component="button" type="button" size="xs" onClick={() => setOpened(true)}>
        {say('delete_note')}
      </Anchor>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('delete_note')}
        act={say('delete_note')}
        busy={remove.isPending}
        problem={remove.error}
        // The button that opened the dialog disappears with the note, so the focus moves.
        onAct={() =>
          remove.mutate({ params }, { onSuccess: () => opener.current?.closest<HTMLElement>('[role=log]')?.focus() })
        }
      >
        <Text size="sm">{say('delete_note_words')}</Text>
      </ConfirmDialog>
    </>
  );
}

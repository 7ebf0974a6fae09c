import { ActionIcon, Textarea, VisuallyHidden } from '@mantine/core';
import { IconMessageBolt } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import type { ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import type { SavedReplySummary } from '../../../../contract/dashboard/saved-replies.ts';
import { MAX_MESSAGE_CHARACTERS, MAX_NOTE_CHARACTERS } from '../../../../contract/limits.ts';
import { list as formatList } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useActionTexts } from '../../parts/conversations/action-texts.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { answerTexts } from './answer-texts.ts';
import type { Side } from './side.ts';
import { useMentions } from './use-mentions.ts';
import { useSavedReplies } from './use-saved-replies.ts';
import { texts } from './texts.ts';
import classes from './reply-field.module.css';

type Props = {
  conversationId: string;
  side: Side;
  text: string;
  setText: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** This function is called before Enter sends the message. True: the key was handled. */
  onKey: (event: KeyboardEvent) => boolean;
  onSend: (event: KeyboardEvent) => void;
  /** This function is called with the actions of a chosen saved reply. */
  onActions: (actions: ReplyActions) => void;
  /** The content beside the button of the saved replies. */
  children: ReactNode;
};

/**
 * The field for the next message. A slash in a reply opens the list of saved replies. An @ in a note opens the list of
 * members.
 */
export function ReplyField({
  conversationId,
  side,
  text,
  setText,
  field,
  onKey,
  onSend,
  onActions,
  children,
}: Props): ReactNode {
  const say = useTexts(texts);
  const list = useSavedReplies({ conversationId, enabled: side === 'member', text, setText, field, onActions });
  const names = useMentions({ enabled: side === 'note', text, setText, field });
  const opened = list.isOpen ? list : names.isOpen ? names : null;
  const combobox = opened && {
    role: 'combobox',
    'aria-expanded': true,
    'aria-controls': opened.listId,
    'aria-activedescendant': opened.active < 0 ? undefined : `${opened.listId}-${opened.active}`,
  };
  const setCaret = (at: number | null): void => {
    list.setCaret(at);
    names.setCaret(at);
  };
  return (
    <>
      <div className={classes.field} onBlur={() => setCaret(null)}>
        {list.error && <ProblemAlert problem={list.error} />}
        {list.isOpen && <Options list={list} />}
        {names.isOpen && <Names list={names} />}
        <Textarea
          ref={field}
          aria-label={say(`placeholder_${side}`)}
          placeholder={say(`placeholder_${side}`)}
          value={text}
          dir="auto"
          autosize
          minRows={3}
          maxRows={7}
          maxLength={side === 'note' ? MAX_NOTE_CHARACTERS : MAX_MESSAGE_CHARACTERS}
          aria-autocomplete={side === 'end_user' ? undefined : 'list'}
          {...combobox}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={(event) => {
            if (list.onKey(event) || names.onKey(event) || onKey(event)) return;
            // The keys of the page work outside the field.
            if (event.key === 'Escape' && !event.nativeEvent.isComposing) event.currentTarget.blur();
            // While a word is composed, Enter belongs to the input method.
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) onSend(event);
          }}
        />
      </div>
      <div className={classes.tools}>
        {side === 'member' && <SavedRepliesButton field={field} onOpen={list.open} />}
        {children}
      </div>
    </>
  );
}

function Options({ list }: { list: ReturnType<typeof useSavedReplies> }): ReactNode {
  const say = useTexts(answerTexts);
  return (
    <>
      <VisuallyHidden role="status">{say('saved_replies_found', { count: list.found })}</VisuallyHidden>
      <ul id={list.listId} role="listbox" aria-label={say('saved_replies')} className={classes.list}>
        {list.found === 0 && !list.hasNone && (
          <li role="presentation" className={classes.preview}>
            {say('no_saved_reply_found')}
          </li>
        )}
        {list.options.map((option, index) => (
          <li
            key={option?.id ?? 'manage'}
            id={`${list.listId}-${index}`}
            role="option"
            aria-selected={index === list.active}
            className={`${classes.option} ${option ? '' : classes.manage}`}
            ref={(node) => void (index === list.active && node?.scrollIntoView({ block: 'nearest' }))}
            // The focus stays in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => list.choose(option)}
          >
            {option ? (
              <>
                <div className={classes.name}>
                  <bdi>{option.name}</bdi>
                  <code dir="ltr">/{option.shortcut}</code>
                </div>
                <div className={classes.preview} dir="auto">
                  {option.preview}
                </div>
                <ActionsOf option={option} />
              </>
            ) : (
              say(list.hasNone ? 'first_saved_reply' : 'manage_saved_replies')
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function ActionsOf({ option: { actions } }: { option: SavedReplySummary }): ReactNode {
  const { language } = useTexts(answerTexts);
  const texts = useActionTexts(actions);
  return texts.length > 0 && <div className={classes.preview}>+ {formatList(language, texts)}</div>;
}

function Names({ list }: { list: ReturnType<typeof useMentions> }): ReactNode {
  const say = useTexts(answerTexts);
  return (
    <>
      <VisuallyHidden role="status">{say('members_found', { count: list.found.length })}</VisuallyHidden>
      <ul id={list.listId} role="listbox" aria-label={say('members')} className={classes.list}>
        {list.found.map((one, index) => (
          <li
            key={one.user_id}
            id={`${list.listId}-${index}`}
            role="option"
            aria-selected={index === list.active}
            className={classes.option}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => list.choose(one)}
          >
            <bdi>{one.name}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

type ButtonProps = Pick<Props, 'field'> & { onOpen: (caret: number) => void };

/** The button is for members who do not know the slash or have no keyboard. The button does not change the text. */
function SavedRepliesButton({ field, onOpen }: ButtonProps): ReactNode {
  const say = useTexts(answerTexts);
  const open = (): void => {
    field.current?.focus();
    onOpen(field.current?.selectionStart ?? 0);
  };
  return (
    <ActionIcon size={34} variant="default" aria-label={say('saved_replies')} onClick={open}>
      <IconMessageBolt size={18} />
    </ActionIcon>
  );
}

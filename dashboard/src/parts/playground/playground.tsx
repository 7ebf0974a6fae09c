import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { PlaygroundBody, PlaygroundTurn } from '../../../../contract/dashboard/agents.ts';
import type { Fault } from '../../../../contract/problems.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { readStream } from '../../api/read-stream.ts';
import { useTexts } from '../../language/texts.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { ProblemAlert } from '../problem-alert.tsx';
import { bodyOf, useVariables, type CallData } from './call-data.ts';
import { TryWith } from './try-with.tsx';
import { TurnView } from './turn-view.tsx';
import { texts } from './texts.ts';
import classes from './playground.module.css';

type Line = { role: 'end_user'; text: string } | { role: 'agent'; turn: PlaygroundTurn; minutes?: number };
type Props = {
  agentId: string;
  /** Absent: the stored draft answers. */
  definition?: AgentDefinition;
  onAnswered?: () => void;
  /** This function is called with the faults of a refused definition. */
  onFaults?: (faults: readonly Fault[]) => void;
  /** A suggested first question, which has a button. */
  suggestion?: string | undefined;
};

/** The ID of the chat's field, of which a page has at most one. */
const FIELD = 'playground-message';

/** Moves the focus to the chat of this page, for a link that suggests a question. */
export function focusPlayground(): void {
  const field = document.getElementById(FIELD);
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
}

/** The component is a chat with an agent that stores nothing and shows the reasons of each answer. */
export function Playground(props: Props): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  return may ? <Chat {...props} /> : <p className={classes.note}>{say('viewer')}</p>;
}

function Chat({ agentId, definition, onAnswered, onFaults, suggestion }: Props): ReactNode {
  const say = useTexts(texts);
  const [text, setText] = useState('');
  const [given, setGiven] = useState<CallData>({ locale: say.language, name: '', values: {} });
  const variables = useVariables(agentId, definition);
  const field = useRef<HTMLInputElement>(null);
  const asked = { ...bodyOf(given, variables), ...(definition && { definition }) };
  const talk = useTalk(agentId, asked, onFaults, () => {
    onAnswered?.();
    field.current?.focus();
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const typed = text.trim();
    if (typed === '') return;
    setText('');
    talk.say(typed);
  };
  const again = (): void => {
    talk.forget();
    field.current?.focus();
  };
  return (
    <div className={classes.chat}>
      <Log talk={talk} suggestion={suggestion} silence={silenceOf(definition, talk.lines)} />
      <TryWith
        value={given}
        names={variables.map(({ name }) => name)}
        asks={(definition?.tools ?? []).some(({ approval }) => approval !== undefined)}
        onChange={setGiven}
      />
      <form className={classes.form} onSubmit={send}>
        <TextInput
          ref={field}
          id={FIELD}
          aria-label={say('placeholder')}
          placeholder={say('placeholder')}
          value={text}
          maxLength={MAX_MESSAGE_CHARACTERS}
          autoComplete="off"
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ActionIcon type="submit" size={36} aria-label={say('send')}>
          <IconSend size={18} className="mirror" />
        </ActionIcon>
        {talk.lines.length > 0 && (
          <ActionIcon size={36} variant="default" aria-label={say('again')} onClick={again}>
            <IconRefresh size={18} />
          </ActionIcon>
        )}
      </form>
    </div>
  );
}

type Talk = ReturnType<typeof useTalk>;
type Asked = Omit<PlaygroundBody, 'messages' | 'state'>;

/**
 * Holds the messages of the chat so far. The server stores no message of the test chat, so each request contains all
 * messages and the agent's state.
 */
function useTalk(agentId: string, asked: Asked, onFaults: Props['onFaults'], onAnswered: () => void) {
  const org_id = useOrganization().id;
  const [lines, setLines] = useState<Line[]>([]);
  const [partialText, setPartialText] = useState('');
  // The definition that the server refused. After a change of the definition, its refusal is not shown any more.
  const definition = JSON.stringify(asked.definition);
  const [refused, setRefused] = useState<string>();
  const stop = useRef<AbortController>(null);
  const turn = useAct('tryAgent', { refresh: [] });
  const last = lines.findLast((line) => line.role === 'agent');
  const ask = (next: Line[], silence?: Silence): void => {
    // A new message of the person stops the previous answer.
    stop.current?.abort();
    const { signal } = (stop.current = new AbortController());
    setLines(next);
    setPartialText('');
    turn.mutate(
      {
        params: { org_id, agent_id: agentId },
        body: {
          messages: next.flatMap(spoken),
          ...asked,
          ...(last && { state: last.turn.state }),
          ...(silence && { silent_steps: silence.steps }),
        },
        signal,
        read: readStream((text) => signal.aborted || setPartialText(text)),
      },
      {
        onSuccess: (answer) => {
          setLines([...next, { role: 'agent', turn: answer, ...(silence && { minutes: silence.minutes }) }]);
          onAnswered();
        },
        onError: ({ faults }) => {
          setRefused(faults.length > 0 ? definition : undefined);
          onFaults?.(faults);
        },
      },
    );
  };
  return {
    lines,
    /** The state after the agent's last turn. */
    next: last?.turn.next,
    isPending: turn.isPending,
    /** The unfinished text of the agent's answer. */
    partialText: turn.isPending ? partialText : '',
    error: refused === undefined || refused === definition ? turn.error : null,
    say: (text: string) => ask([...lines, { role: 'end_user', text }]),
    /** Makes the agent write first, or repeats the last failed question. */
    letAnswer: () => ask(lines),
    /** Lets the time of a silence pass, so that the agent reacts to it. */
    letPass: (silence: Silence) => ask(lines, silence),
    forget: () => {
      stop.current?.abort();
      turn.reset();
      setLines([]);
    },
  };
}

type LogProps = { talk: Talk; suggestion: string | undefined; silence: Silence | null };

function Log({ talk, suggestion, silence }: LogProps): ReactNode {
  const say = useTexts(texts);
  const { lines, next, isPending, partialText, error } = talk;
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [lines, isPending, partialText]);
  return (
    <div className={classes.log} ref={log} role="log" aria-label={say('chat')} tabIndex={0}>
      {lines.length === 0 && !isPending && (
        <div className={classes.empty}>
          <span>{say('empty')}</span>
          <Group gap="xs" justify="center">
            {suggestion && (
              <Button size="xs" variant="default" onClick={() => talk.say(suggestion)}>
                {suggestion}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={talk.letAnswer}>
              {say('open')}
            </Button>
          </Group>
        </div>
      )}
      {lines.map((line, index) =>
        line.role === 'agent' ? (
          <TurnView
            key={index}
            turn={line.turn}
            minutes={line.minutes}
            onChoose={index === lines.length - 1 && !isPending ? talk.say : undefined}
          />
        ) : (
          <p key={index} className={classes.mine} dir="auto">
            {line.text}
          </p>
        ),
      )}
      {/* Screen readers read the complete answer. */}
      {partialText !== '' && (
        <p className={classes.theirs} dir="auto" aria-hidden>
          {partialText}
        </p>
      )}
      {isPending && <p className={classes.note}>{say('writing')}</p>}
      {silence && next === 'waiting_for_user' && !isPending && (
        <Button size="xs" variant="default" onClick={() => talk.letPass(silence)}>
          {say('pass', { count: silence.minutes })}
        </Button>
      )}
      {next === 'completed' && <p className={classes.note}>{say('ended')}</p>}
      {next === 'handed_off' && <p className={classes.note}>{say('handed')}</p>}
      {error && <ProblemAlert problem={error} onRetry={talk.letAnswer} />}
    </div>
  );
}

/** The next step of a silence, with the number of finished steps and the minutes until it comes. */
type Silence = { steps: number; minutes: number };

function silenceOf(definition: AgentDefinition | undefined, lines: readonly Line[]): Silence | null {
  const { remind = [], end_after_minutes: end } = definition?.no_reply ?? {};
  const times = [...remind.map(({ after_minutes: minutes }) => minutes), ...(end === undefined ? [] : [end])];
  const steps = lines.length - 1 - lines.findLastIndex((line) => !('minutes' in line));
  const minutes = times[steps];
  return minutes === undefined ? null : { steps, minutes };
}

const spoken = (line: Line): { role: 'agent' | 'end_user'; text: string }[] =>
  line.role === 'end_user'
    ? [line]
    : line.turn.messages.flatMap(({ content }) =>
        'text' in content && content.text ? [{ role: 'agent' as const, text: content.text }] : [],
      );

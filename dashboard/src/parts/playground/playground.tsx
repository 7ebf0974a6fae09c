import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { PlaygroundTurn } from '../../../../contract/dashboard/agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { ProblemAlert } from '../problem-alert.tsx';
import { bodyOf, useVariables, type Circumstances } from './circumstances.ts';
import { TryWith } from './try-with.tsx';
import { TurnView } from './turn-view.tsx';
import { words } from './words.ts';
import classes from './playground.module.css';

type Line = { role: 'end_user'; text: string } | { role: 'agent'; turn: PlaygroundTurn };
type Props = {
  agentId: string;
  /** Absent: the draft as it is stored. */
  definition?: AgentDefinition;
  onAnswered?: () => void;
  /** A first question to ask with one press. */
  suggestion?: string | undefined;
};

/** A chat with an agent that leaves no trace, and shows why the agent says what it says. */
export function Playground(props: Props): ReactNode {
  const say = useWords(words);
  const may = useMay('member');
  return may ? <Chat {...props} /> : <p className={classes.note}>{say('viewer')}</p>;
}

function Chat({ agentId, definition, onAnswered, suggestion }: Props): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const [lines, setLines] = useState<Line[]>([]);
  const [text, setText] = useState('');
  const [given, setGiven] = useState<Circumstances>({ locale: say.language, name: '', values: {} });
  const variables = useVariables(agentId, definition);
  const turn = useAct('tryAgent', { refresh: [] });
  const log = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [lines, turn.isPending]);

  const last = lines.findLast((line) => line.role === 'agent');
  const ended = last?.turn.next === 'completed' || last?.turn.next === 'handed_off';
  const ask = (next: Line[]): void => {
    setLines(next);
    turn.mutate(
      {
        params: { org_id, agent_id: agentId },
        body: {
          messages: next.flatMap(spoken),
          ...bodyOf(given, variables),
          ...(last && { state: last.turn.state }),
          ...(definition && { definition }),
        },
      },
      {
        onSuccess: (answer) => {
          setLines([...next, { role: 'agent', turn: answer }]);
          onAnswered?.();
          field.current?.focus();
        },
      },
    );
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const words = text.trim();
    if (words === '' || turn.isPending) return;
    setText('');
    ask([...lines, { role: 'end_user', text: words }]);
  };
  const again = (): void => {
    turn.reset();
    setLines([]);
    field.current?.focus();
  };
  return (
    <div className={classes.chat}>
      <div className={classes.log} ref={log} role="log" aria-label={say('chat')} tabIndex={0}>
        {lines.length === 0 && !turn.isPending && (
          <div className={classes.empty}>
            <span>{say('empty')}</span>
            <Group gap="xs" justify="center">
              {suggestion && (
                <Button size="xs" variant="default" onClick={() => ask([{ role: 'end_user', text: suggestion }])}>
                  {suggestion}
                </Button>
              )}
              <Button size="xs" variant="default" onClick={() => ask([])}>
                {say('open')}
              </Button>
            </Group>
          </div>
        )}
        {lines.map((line, index) =>
          line.role === 'agent' ? (
            <TurnView key={index} turn={line.turn} />
          ) : (
            <p key={index} className={classes.mine} dir="auto">
              {line.text}
            </p>
          ),
        )}
        {turn.isPending && <p className={classes.note}>{say('writing')}</p>}
        {ended && <p className={classes.note}>{say(last.turn.next === 'completed' ? 'ended' : 'handed')}</p>}
        {turn.error && <ProblemAlert problem={turn.error} onRetry={() => ask(lines)} />}
      </div>
      <TryWith value={given} names={variables.map(({ name }) => name)} onChange={setGiven} />
      <form className={classes.form} onSubmit={send}>
        <TextInput
          ref={field}
          aria-label={say('placeholder')}
          placeholder={say('placeholder')}
          value={text}
          maxLength={MAX_MESSAGE_CHARACTERS}
          autoComplete="off"
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ActionIcon type="submit" size={36} aria-label={say('send')} loading={turn.isPending}>
          <IconSend size={18} className="mirror" />
        </ActionIcon>
        {lines.length > 0 && (
          <ActionIcon size={36} variant="default" aria-label={say('again')} onClick={again}>
            <IconRefresh size={18} />
          </ActionIcon>
        )}
      </form>
    </div>
  );
}

const spoken = (line: Line): { role: 'agent' | 'end_user'; text: string }[] =>
  line.role === 'end_user'
    ? [line]
    : line.turn.messages.flatMap(({ content }) =>
        'text' in content && content.text ? [{ role: 'agent' as const, text: content.text }] : [],
      );

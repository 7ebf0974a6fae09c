import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import type { ReplayResult, ReplaySide, ReplayTurn } from '../../../../contract/dashboard/replay.ts';
import { list as inWords } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { replayTexts } from './replay-texts.ts';
import classes from './agents.module.css';

type Props = { conversation: ConversationSummary; result: ReplayResult };

/** Shows the differing turns of a conversation, each next to the recorded answer. */
export function ReplayedConversation({ conversation: { id, end_user: person }, result }: Props): ReactNode {
  const say = useTexts(replayTexts);
  const { turns, stopped } = result;
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={570}>
          <bdi>{person.name ?? person.external_id ?? say('nameless')}</bdi>
        </Text>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/conversations/$conversation_id" params={{ conversation_id: id }} {...props} />
          )}
        >
          {say('open_conversation')}
        </Anchor>
      </Group>
      {turns.map((turn, at) => turn.cause !== null && <Turn key={at} turn={turn} />)}
      {stopped !== null && turns.at(-1)?.cause !== null && (
        <Text size="xs" c="dimmed">
          {say(`stopped_${stopped}`)}
        </Text>
      )}
    </li>
  );
}

function Turn({ turn: { input, recorded, replayed, changed, cause } }: { turn: ReplayTurn }): ReactNode {
  const say = useTexts(replayTexts);
  return (
    <div className={classes.replayTurn}>
      <Group gap={6}>
        {changed.map((name) => (
          <Badge key={name} color={cause === 'draft' ? 'orange' : 'gray'}>
            {say(name)}
          </Badge>
        ))}
        {cause === 'earlier' && (
          <Text size="xs" c="dimmed">
            {say('earlier')}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {input.length === 0 ? say('opened') : say('person')}
      </Text>
      {input.map((text, at) => (
        <Text key={at} size="sm" dir="auto" className={classes.replayWords}>
          {text}
        </Text>
      ))}
      <div className={classes.replaySides}>
        <Side title={say('answered')} side={recorded}>
          <Text size="sm" dir="auto" className={classes.replayWords}>
            {recorded.said.join('\n')}
          </Text>
        </Side>
        <Side title={say('draft')} side={replayed}>
          <TextDiff before={recorded.said.join('\n')} after={replayed.said.join('\n')} />
        </Side>
      </div>
    </div>
  );
}

function Side({ title, side, children }: { title: string; side: ReplaySide; children: ReactNode }): ReactNode {
  const say = useTexts(replayTexts);
  const { said, cites, calls, next } = side;
  return (
    <section aria-label={title}>
      <Text size="xs" fw={570}>
        {title}
      </Text>
      {said.length === 0 ? <Text size="sm">{say('nothing')}</Text> : children}
      {cites.length > 0 && (
        <Text size="xs" c="dimmed">
          {say.rich('cited', { names: <bdi>{inWords(say.language, cites)}</bdi> })}
        </Text>
      )}
      {calls.map(({ tool, arguments: args }, at) => (
        <Text key={at} size="xs" c="dimmed" className={classes.replayWords}>
          {say.rich('called', {
            call: (
              <code dir="ltr">
                {tool} {args}
              </code>
            ),
          })}
        </Text>
      ))}
      {next !== 'waiting_for_user' && (
        <Text size="xs" c="dimmed">
          {say(next)}
        </Text>
      )}
    </section>
  );
}

import { Anchor, Group, Loader, Skeleton, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { curlOf, KEY_PLACE } from '../../../../../contract/code-samples.ts';
import type { TriggerRecord } from '../../../../../contract/dashboard/triggers.ts';
import { useTexts } from '../../../language/texts.tsx';
import { CodeBlock } from '../../../parts/code-tabs.tsx';
import { useSession } from '../../../session/session.ts';
import { exampleBody } from '../../../parts/trigger-code.ts';
import { Step } from './step.tsx';
import { texts } from './texts.ts';
import classes from './first-steps.module.css';

const PLACE = `$${KEY_PLACE}`;

type Props = {
  done: boolean;
  trigger: TriggerRecord | null | undefined;
  /** The value of the key that was created on this page while the page is open, or null. */
  value: string | null;
  called: boolean;
  conversations: number;
};

/** Shows the call to run, and the arrival of the call. */
export function CallStep({ done, trigger, value, called, conversations }: Props): ReactNode {
  const say = useTexts(texts);
  const { base_url } = useSession();
  return (
    <Step number={5} done={done} title={say('step_call')} hint={say('step_call_hint')}>
      {trigger === undefined ? (
        <Skeleton h={150} radius="md" />
      ) : trigger ? (
        <>
          <CodeBlock
            label={say('step_call')}
            code={curlOf(
              {
                method: 'POST',
                path: trigger.path,
                body: { ...exampleBody(trigger.variables), message: 'Hello' },
              },
              base_url,
              value ?? PLACE,
            )}
          />
          <Text size="xs" c="dimmed" mt={6}>
            {value ? say('call_key_filled') : say.rich('call_key', { place: <code>{PLACE}</code> })}
          </Text>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {say('needs_trigger')}
        </Text>
      )}
      <Group gap={8} mt="md" wrap="nowrap" align="flex-start" role="status">
        {done ? (
          <>
            <IconCircleCheck className={classes.sign} size={20} color="var(--accent)" aria-hidden="true" />
            <Text size="sm">
              <b>
                {say('call_seen')} {say('call_conversations', { count: conversations })}
              </b>{' '}
              <Anchor inherit renderRoot={(props) => <Link to="/conversations" {...props} />}>
                {say('call_open')}
              </Anchor>
            </Text>
          </>
        ) : (
          <>
            <Loader className={classes.sign} size={16} aria-hidden="true" />
            <Text size="sm">{say(called ? 'call_waiting_still' : 'call_waiting')}</Text>
          </>
        )}
      </Group>
    </Step>
  );
}

import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { AgentRecord } from '../../../../../contract/dashboard/agents.ts';
import type { Comparison, RolloutRecord } from '../../../../../contract/dashboard/rollouts.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { number, percent } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { READ_AFTER_ROLLOUT, RolloutDialog } from './rollout-dialog.tsx';
import { rolloutTexts } from './rollout-texts.ts';

/** The card shows the latest rollout of the agent, with the buttons that change it. */
export function RolloutCard({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(rolloutTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [asked, setAsked] = useState<'set' | 'stop' | 'finish' | null>(null);
  const { data } = useRead('compareVersions', { params: { org_id, agent_id: agent.id } });
  const rollout = data?.rollout ?? null;
  const active = rollout?.status === 'active' ? rollout : null;
  const close = (): void => setAsked(null);
  return (
    <Card title={say('rollout')} description={say('rollout_hint')}>
      <Stack gap="sm">
        {rollout ? <State rollout={rollout} /> : <Text size="sm">{say('none')}</Text>}
        {may && (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setAsked('set')}>
              {say(active ? 'change' : 'start')}
            </Button>
            {active && (
              <>
                <Button variant="default" size="xs" onClick={() => setAsked('finish')}>
                  {say('finish')}
                </Button>
                <Button variant="default" size="xs" onClick={() => setAsked('stop')}>
                  {say('stop')}
                </Button>
              </>
            )}
          </Group>
        )}
      </Stack>
      <RolloutDialog agent={agent} active={active} opened={asked === 'set'} onClose={close} />
      {/* The dialog stays mounted when the rollout ends, because it then closes and reports the end. */}
      {rollout && (
        <EndDialog rollout={rollout} how={asked === 'stop' || asked === 'finish' ? asked : null} onClose={close} />
      )}
    </Card>
  );
}

function State({ rollout }: { rollout: RolloutRecord }): ReactNode {
  const say = useTexts(rolloutTexts);
  const { version, base_version: base, status, reason, stop_when: limit, comparison, ended_at: ended } = rollout;
  const part = (value: number): string => percent(say.language, value);
  const when = ended && <Moment at={ended} />;
  const outcome = status === 'finished' ? 'finished' : reason === 'worse' ? 'stopped_worse' : 'stopped_member';
  return (
    <>
      <Text size="sm" component="div">
        {status === 'active'
          ? say('active', { version, base, percent: part(rollout.percent / 100) })
          : say.rich(outcome, { version, base, when })}
      </Text>
      {status === 'active' && (
        <Text size="sm">
          {limit
            ? say('stops_automatically', { worse_by: part(limit.worse_by), confidence: part(limit.confidence) })
            : say('stops_never')}
        </Text>
      )}
      {comparison && <Arms comparison={comparison} />}
      <Text size="xs" c="dimmed">
        {say('measured')}
      </Text>
    </>
  );
}

function Arms({ comparison: { rolled_out, base, worse_by: worse } }: { comparison: Comparison }): ReactNode {
  const say = useTexts(rolloutTexts);
  const part = (value: number): string => percent(say.language, value);
  const points = (value: number): string => number(say.language, Math.round(value * 1_000) / 10);
  return (
    <Text size="sm" component="div">
      {[rolled_out, base].map(({ version, end_users: count, problems }) => (
        <div key={version}>
          {problems.part
            ? say('arm', {
                version,
                count,
                problems: problems.count,
                interval: say('between', { low: part(problems.part.low), high: part(problems.part.high) }),
              })
            : say('arm_empty', { version })}
        </div>
      ))}
      {worse && (
        <div>{say('difference', { value: points(worse.value), low: points(worse.low), high: points(worse.high) })}</div>
      )}
    </Text>
  );
}

type EndProps = { rollout: RolloutRecord; how: 'stop' | 'finish' | null; onClose: () => void };

function EndDialog({ rollout: { agent_id, version, base_version: base }, how, onClose }: EndProps): ReactNode {
  const say = useTexts(rolloutTexts);
  const org_id = useOrganization().id;
  const stop = useAct('stopRollout', { refresh: READ_AFTER_ROLLOUT });
  const finish = useAct('finishRollout', { refresh: READ_AFTER_ROLLOUT });
  const chosen = how ?? 'stop';
  const act = chosen === 'stop' ? stop : finish;
  const done = (): void => {
    onClose();
    notifyDone(say(`${chosen}_done`, { version }));
  };
  return (
    <ConfirmDialog
      opened={how !== null}
      onClose={onClose}
      title={say(`${chosen}_title`, { version })}
      act={say(chosen)}
      danger={chosen === 'stop'}
      busy={act.isPending}
      problem={act.error}
      onAct={() => act.mutate({ params: { org_id, agent_id } }, { onSuccess: done })}
    >
      <Text size="sm">{say(`${chosen}_words`, { version, base })}</Text>
    </ConfirmDialog>
  );
}

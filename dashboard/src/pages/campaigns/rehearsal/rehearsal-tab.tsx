import { Button, Chip, Group, Input, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { MomentField } from '../../../parts/moment-field.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { hasRecipients, NO_FILE } from '../additions/recipients-file.tsx';
import type { SettingsDraft } from '../settings/use-settings-draft.ts';
import { PeopleFields } from './people-fields.tsx';
import { RepliesFields } from './replies-fields.tsx';
import { Report } from './report.tsx';
import { SOURCES, useRehearsal } from './use-rehearsal.ts';
import { texts } from './texts.ts';

type Props = { item: CampaignRecord; draft: SettingsDraft };

/**
 * Runs the campaign on a virtual clock. A rehearsal shows who is messaged when, who is skipped and why, and sends
 * nothing.
 */
export function RehearsalTab({ item, draft }: Props): ReactNode {
  const say = useTexts(texts);
  const rehearsal = useRehearsal(item, draft);
  const { asked, change, report, problem, isRunning, run } = rehearsal;
  const isMissing = asked.source === 'file' && !hasRecipients(asked.file);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isMissing) run();
        }}
      >
        <Card title={say('title')} description={say('hint')}>
          <Stack gap="lg">
            <Input.Wrapper label={say('people')} labelElement="div">
              <Chip.Group value={asked.source} onChange={(source) => change({ source, file: NO_FILE })}>
                <Group gap={6} mt={4} role="radiogroup" aria-label={say('people')}>
                  {SOURCES.map((source) => (
                    <Chip key={source} value={source} size="sm">
                      {say(`people_${source}`)}
                    </Chip>
                  ))}
                </Group>
              </Chip.Group>
            </Input.Wrapper>
            <PeopleFields rehearsal={rehearsal} />
            <MomentField
              label={say('begins_at')}
              description={say('begins_hint')}
              maw={280}
              at={asked.beginsAt}
              onChange={(beginsAt) => change({ beginsAt })}
            />
            <RepliesFields rehearsal={rehearsal} />
            <Group gap="md">
              <Button
                type="submit"
                variant="default"
                leftSection={<IconPlayerPlay size={16} />}
                loading={isRunning}
                disabled={isMissing}
              >
                {say('run')}
              </Button>
              {draft.dirty && draft.isWhole && (
                <Text size="sm" c="dimmed">
                  {say('unsaved')}
                </Text>
              )}
            </Group>
            {problem && <ProblemAlert problem={problem} />}
          </Stack>
        </Card>
      </form>
      <div role="status" aria-busy={isRunning || undefined} aria-label={isRunning ? say('running') : undefined}>
        {report && <Report report={report} source={asked.source} name={item.name} />}
      </div>
    </>
  );
}

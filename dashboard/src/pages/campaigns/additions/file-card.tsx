import { Button, Group, Stack, Text } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { CountedFile, CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { number } from '../../../language/format.ts';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import classes from '../campaigns.module.css';
import { READ_AGAIN } from '../search.ts';
import { RecipientsFile } from './recipients-file.tsx';
import { Result } from './result.tsx';
import { words } from './words.ts';

/** Recipients from a file: counted first, then added. */
export function FileCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const [file, setFile] = useState<string | null>(null);
  const count = useAct('countFile', { refresh: [] });
  const add = useAct('startPush', { refresh: [...READ_AGAIN, 'listPushes'] });
  const params = { org_id, campaign_id: item.id };
  const isBusy = count.isPending || add.isPending;
  const told = count.data;
  const problem = add.error ?? count.error;
  const forget = (): void => {
    count.reset();
    add.reset();
  };
  return (
    <form
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault();
        forget();
        if (file !== null) count.mutate({ params, body: { file } });
      }}
    >
      <Card title={say('from_file')} description={say('from_file_hint')}>
        <Stack gap="md">
          <RecipientsFile
            disabled={isBusy}
            onRead={(text) => {
              setFile(text);
              // A count is valid only for the counted file.
              forget();
            }}
          />
          <Group gap="md">
            <Button type="submit" variant="default" loading={count.isPending} disabled={isBusy || file === null}>
              {say('count')}
            </Button>
            {item.state === 'live' ? (
              <Button
                leftSection={<IconUsersPlus size={16} />}
                loading={add.isPending}
                disabled={isBusy || file === null || !count.data || count.data.accepted === 0 || Boolean(add.data)}
                onClick={() => file !== null && add.mutate({ params, body: { file } })}
              >
                {say('add')}
              </Button>
            ) : (
              <Text size="sm" c="dimmed">
                {say('not_live')}
              </Text>
            )}
          </Group>
          <div role="status">
            {told && !add.data && !problem && (
              <>
                <Result what="count" sum={{ ...told, invalid: 0 }} done />
                <Faults told={told} />
              </>
            )}
            {add.data && <Text size="sm">{say('is_added')}</Text>}
          </div>
          {problem && <ProblemAlert problem={problem} />}
        </Stack>
      </Card>
    </form>
  );
}

function Faults({ told: { invalid, faults } }: { told: CountedFile }): ReactNode {
  const say = useWords(words);
  if (invalid === 0) return null;
  const many = (value: number): string => number(say.language, value);
  return (
    <details className={classes.faults}>
      <summary>{say('faulty', { count: invalid, number: many(invalid) })}</summary>
      <ul>
        {faults.map(({ row, ref, errors }) => (
          <li key={row}>
            {say('fault_row', { row: many(row) })}
            {ref !== null && <bdi> {ref}</bdi>}: <bdi>{errors.map(({ detail }) => detail).join(' ')}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

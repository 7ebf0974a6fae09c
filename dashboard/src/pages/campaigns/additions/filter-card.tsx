import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { useWords } from '../../../language/words.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { SegmentSelect } from '../../../parts/segment-select.tsx';
import { useOrganization } from '../../../session/session.ts';
import classes from '../campaigns.module.css';
import { Found } from '../review/review.tsx';
import reviewClasses from '../review/review.module.css';
import { AUDIENCE, READ_AGAIN } from '../search.ts';
import { Result } from './result.tsx';
import { useAudienceCount } from './use-audience-count.ts';
import { words } from './words.ts';

/** Selects end users by filters. They are counted first, then added as recipients. */
export function FilterCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const { run, start, forget } = useAudienceCount(org_id, item.id);
  const add = useAct('startPush', { refresh: [...READ_AGAIN, 'listPushes'] });
  const review = useAct('reviewCampaign', { refresh: [] });
  const [typed, setTyped] = useState({ text: '', tag: '', attribute: '' });
  const entries = Object.entries(typed).map(([name, value]) => [name, value.trim()] as const);
  const filters = Object.fromEntries(entries.filter(([, value]) => value !== ''));
  const isBusy = run !== null && !run.done;
  const isCounted = run?.done && !run.problem;
  const type = (values: Typed): void => {
    setTyped(values);
    // A count is valid only for the counted filters.
    forget();
    add.reset();
    review.reset();
  };
  return (
    <form
      id={AUDIENCE}
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault();
        add.reset();
        void start(filters);
      }}
    >
      <Card title={say('audience')} description={say('audience_hint')}>
        <Stack gap="md">
          <Fields typed={typed} filters={filters} isBusy={isBusy} onType={type} />
          <Group gap="md">
            <Button type="submit" variant="default" loading={isBusy} disabled={isBusy}>
              {say('count')}
            </Button>
            <Button
              variant="default"
              loading={review.isPending}
              disabled={isBusy}
              onClick={() => review.mutate({ params: { org_id, campaign_id: item.id }, body: { filters } })}
            >
              {say('review')}
            </Button>
            {item.state === 'live' ? (
              <Button
                leftSection={<IconUsersPlus size={16} />}
                loading={add.isPending}
                disabled={!isCounted || run.sum.accepted === 0}
                onClick={() =>
                  add.mutate({ params: { org_id, campaign_id: item.id }, body: { filters } }, { onSuccess: forget })
                }
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
            {run && <Result what="count" sum={run.sum} done={run.done} />}
            {add.data && <Text size="sm">{say('is_added')}</Text>}
          </div>
          {add.error && <ProblemAlert problem={add.error} />}
          {run?.problem && <ProblemAlert problem={run.problem} />}
          {review.error && <ProblemAlert problem={review.error} />}
          {review.data && (
            <section className={reviewClasses.review} aria-label={say('reviewed')} data-review>
              <Found item={item} review={review.data} onLeave={review.reset} />
            </section>
          )}
        </Stack>
      </Card>
    </form>
  );
}

type Typed = { text: string; tag: string; attribute: string };
type FieldsProps = {
  typed: Typed;
  filters: Partial<Typed>;
  isBusy: boolean;
  onType: (values: Typed) => void;
};

function Fields({ typed, filters, isBusy, onType }: FieldsProps): ReactNode {
  const say = useWords(words);
  const field = (name: keyof Typed) => ({
    label: say(name),
    value: typed[name],
    disabled: isBusy,
    autoComplete: 'off',
    dir: 'auto',
    maxLength: 200,
    onChange: (event: { currentTarget: HTMLInputElement }) => onType({ ...typed, [name]: event.currentTarget.value }),
  });
  return (
    <Group align="flex-end" gap="md">
      <SegmentSelect
        label={say('segment')}
        filters={filters}
        disabled={isBusy}
        onChoose={({ text = '', tag = '', attribute = '' }) => onType({ text, tag, attribute })}
      />
      <TextInput {...field('tag')} flex="1 1 160px" />
      <TextInput {...field('attribute')} placeholder="plan=gold" flex="1 1 160px" />
      <TextInput {...field('text')} flex="1 1 160px" />
    </Group>
  );
}

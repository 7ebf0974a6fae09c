import { Anchor, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  CampaignRecord,
  CampaignReview,
  ReviewCampaignBody,
} from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { SegmentSelect, useSegments } from '../../../parts/segment-select.tsx';
import { useOrganization } from '../../../session/session.ts';
import { Found } from '../review/review.tsx';
import reviewClasses from '../review/review.module.css';
import { isReadyToStart } from '../is-ready-to-start.ts';
import { AUDIENCE, READ_AGAIN } from '../search.ts';
import { useKept } from '../use-kept.ts';
import { hasRecipients, NO_FILE, RecipientsFile } from './recipients-file.tsx';
import { texts } from './texts.ts';

const SOURCES = ['people', 'segment', 'file', 'api'] as const;
type SourceName = (typeof SOURCES)[number];
type Typed = { text: string; tag: string; attribute: string };
const NOTHING: Typed = { text: '', tag: '', attribute: '' };

/**
 * The card lets a member choose people, review them, and then add them as recipients. A draft also accepts recipients,
 * who wait for its start.
 */
export function AddCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const [source, setSource] = useKept<SourceName>('people.source', 'people');
  return (
    <div id={AUDIENCE}>
      <Card title={say('audience')} description={say(`hint_${source}`)}>
        <Stack gap="md">
          <SegmentedControl
            aria-label={say('source')}
            value={source}
            onChange={(value) => setSource(value)}
            data={SOURCES.map((value) => ({ value, label: say(`from_${value}`) }))}
            style={{ alignSelf: 'start', maxWidth: '100%' }}
          />
          {source === 'api' ? <ByCode item={item} /> : <Chosen key={source} item={item} source={source} />}
        </Stack>
      </Card>
    </div>
  );
}

function ByCode({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  return (
    <Text size="sm">
      {item.state === 'draft' && <>{say('api_after_start')} </>}
      <Anchor inherit renderRoot={(props) => <Link to="." search={{ tab: 'keys' }} {...props} />}>
        {say('api_open')}
      </Anchor>
    </Text>
  );
}

function Chosen({ item, source }: { item: CampaignRecord; source: Exclude<SourceName, 'api'> }): ReactNode {
  const say = useTexts(texts);
  const params = { org_id: useOrganization().id, campaign_id: item.id };
  const add = useAct('startPush', { refresh: [...READ_AGAIN, 'listPushes'] });
  const review = useAct('reviewCampaign', { refresh: [] });
  const [typed, setTyped] = useKept(`people.${source}`, NOTHING);
  const [file, setFile] = useKept('people.chosen', NO_FILE);
  const body = source === 'file' ? hasRecipients(file) && { file: file.text! } : bodyOf(typed);
  const isBusy = review.isPending || add.isPending;
  // A review is valid only for the reviewed people, so a new choice removes it.
  const choose = (change: () => void): void => {
    change();
    review.reset();
    add.reset();
  };
  const isReady = body !== false && (source !== 'segment' || typed !== NOTHING);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.reset();
        if (isReady) review.mutate({ params, body });
      }}
    >
      <Stack gap="md">
        {source === 'file' && (
          <RecipientsFile disabled={isBusy} chosen={file} onChoose={(next) => choose(() => setFile(next))} />
        )}
        {source === 'people' && (
          <Fields typed={typed} isBusy={isBusy} onType={(next) => choose(() => setTyped(next))} />
        )}
        {source === 'segment' && (
          <Segment typed={typed} isBusy={isBusy} onType={(next) => choose(() => setTyped(next))} />
        )}
        <Group gap="md">
          <Button type="submit" variant="default" loading={review.isPending} disabled={isBusy || !isReady}>
            {say('review')}
          </Button>
          <Button
            variant={isReadyToStart(item) ? 'default' : 'filled'}
            leftSection={<IconUsersPlus size={16} />}
            loading={add.isPending}
            disabled={isBusy || !review.data || !isAnyone(review.data) || Boolean(add.data)}
            onClick={() => body && add.mutate({ params, body })}
          >
            {say('add')}
          </Button>
          {!review.data && (
            <Text size="sm" c="dimmed">
              {say('review_first')}
            </Text>
          )}
        </Group>
        <div role="status">{add.data && <Text size="sm">{say('is_added')}</Text>}</div>
        {add.error && <ProblemAlert problem={add.error} />}
        {review.error && <ProblemAlert problem={review.error} />}
        {review.data && !add.data && (
          <section className={reviewClasses.review} aria-label={say('reviewed')} data-review>
            <Found item={item} review={review.data} onLeave={review.reset} />
          </section>
        )}
      </Stack>
    </form>
  );
}

const bodyOf = (typed: Typed): ReviewCampaignBody => {
  const entries = Object.entries(typed).map(([name, value]) => [name, value.trim()] as const);
  return { filters: Object.fromEntries(entries.filter(([, value]) => value !== '')) };
};

/** True if an addition would add a recipient. */
const isAnyone = ({ waiting, left_out: leftOut }: CampaignReview): boolean =>
  leftOut.reduce((sum, { status, count }) => (status === 'duplicate' || status === 'invalid' ? sum + count : sum), 0) <
  waiting;

type FieldsProps = { typed: Typed; isBusy: boolean; onType: (values: Typed) => void };

function Fields({ typed, isBusy, onType }: FieldsProps): ReactNode {
  const say = useTexts(texts);
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
      <TextInput {...field('tag')} flex="1 1 160px" />
      <TextInput {...field('attribute')} placeholder="plan=gold" flex="1 1 160px" />
      <TextInput {...field('text')} flex="1 1 160px" />
    </Group>
  );
}

function Segment({ typed, isBusy, onType }: FieldsProps): ReactNode {
  const say = useTexts(texts);
  const segments = useSegments();
  if (segments?.length === 0)
    return (
      <Text size="sm">
        {say('segment_none')}{' '}
        <Anchor inherit renderRoot={(props) => <Link to="/end-users" {...props} />}>
          {say('segment_make')}
        </Anchor>
      </Text>
    );
  const filters = typed === NOTHING ? {} : (bodyOf(typed).filters ?? {});
  return (
    <div style={{ maxWidth: 320 }}>
      <SegmentSelect
        label={say('segment')}
        filters={filters}
        disabled={isBusy}
        onChoose={(chosen) =>
          onType(Object.keys(chosen).length === 0 ? NOTHING : { ...NOTHING, ...withoutBlocked(chosen) })
        }
      />
    </div>
  );
}

/** A blocked person gets no message, so this filter of a segment adds no one. */
const withoutBlocked = ({ text = '', tag = '', attribute = '' }: Partial<Typed>): Typed => ({ text, tag, attribute });

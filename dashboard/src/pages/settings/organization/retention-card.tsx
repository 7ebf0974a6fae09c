import { Button, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import type { RetentionRecord } from '../../../../../contract/dashboard/organizations.ts';
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../../../../../contract/limits.ts';
import type { Problem } from '../../../api/client.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DeleteDialog } from '../../../parts/delete-dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { texts } from './retention-texts.ts';

const SUGGESTED_DAYS = 365;
const TYPING_MS = 400;

/** The card sets the retention of conversations, without limit or as a number of days. */
export function RetentionCard(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const read = useRead('readRetention', { params: { org_id } });
  if (read.data) return <Form key={org_id} stored={read.data} />;
  return (
    <Card title={say('retention')} description={say('hint')}>
      {read.isPending ? <Skeleton h={60} /> : <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />}
    </Card>
  );
}

type Edited = { erases: boolean; days: number | undefined };

function Form({ stored }: { stored: RetentionRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const may = useMay('owner');
  // An untouched form follows the stored value.
  const [edited, setEdited] = useState<Edited | null>(null);
  const { erases, days } = edited ?? { erases: stored.days !== null, days: stored.days ?? SUGGESTED_DAYS };
  const [asking, setAsking] = useState(false);
  const save = useAct('setRetention', { refresh: ['readRetention', 'listAudit'] });
  const chosen = erases ? days : null;
  const isSavable = chosen === null || isRight(chosen);
  // A shorter retention erases conversations. A longer period, or no limit, deletes nothing.
  const isLess = erases && (stored.days === null || (days ?? 0) < stored.days);
  const send = (): void =>
    save.mutate(
      { params: { org_id: organization.id }, body: { days: erases ? days! : null } },
      {
        onSuccess: () => {
          setAsking(false);
          // Input during the request is not saved yet.
          setEdited((now) => (now === edited ? null : now));
          notifyDone(say('saved'));
        },
      },
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSavable) return;
        if (isLess) setAsking(true);
        else send();
      }}
    >
      <Card
        title={say('retention')}
        description={say('hint')}
        footer={
          may ? (
            <Button type="submit" disabled={chosen === stored.days || !isSavable} loading={save.isPending && !asking}>
              {sayCommon('save')}
            </Button>
          ) : (
            <Text size="sm" c="dimmed" me="auto">
              {say('owners_only')}
            </Text>
          )
        }
      >
        <Stack>
          <HowLong
            erases={erases}
            days={days}
            readOnly={!may}
            onErases={(next) => setEdited({ erases: next, days })}
            onDays={(next) => setEdited({ erases, days: next })}
          />
          {may && isLess && isRight(days) && <Preview days={days} />}
          {stored.days !== null && stored.swept_at !== null && (
            <Text size="sm" c="dimmed">
              {say.rich('swept', { at: <Moment at={stored.swept_at} /> })}
            </Text>
          )}
          {save.error && !asking && <ProblemAlert problem={save.error} />}
        </Stack>
      </Card>
      <AskToErase
        days={days}
        opened={asking}
        save={save}
        onErase={send}
        onClose={() => {
          save.reset();
          setAsking(false);
        }}
      />
    </form>
  );
}

const isRight = (days: number | undefined): days is number =>
  days !== undefined && Number.isInteger(days) && days >= MIN_RETENTION_DAYS && days <= MAX_RETENTION_DAYS;

type HowLongProps = Edited & {
  readOnly: boolean;
  onErases: (erases: boolean) => void;
  onDays: (days: number | undefined) => void;
};

/** The fields offer no limit, or a number of days. */
function HowLong({ erases, days, readOnly, onErases, onDays }: HowLongProps): ReactNode {
  const say = useTexts(texts);
  const range = { min: number(say.language, MIN_RETENTION_DAYS), max: number(say.language, MAX_RETENTION_DAYS) };
  return (
    <>
      <Radio.Group
        aria-label={say('retention')}
        value={erases ? 'days' : 'off'}
        onChange={(value) => onErases(value === 'days')}
      >
        <Stack gap="xs">
          <Radio value="off" label={say('keep')} disabled={readOnly} />
          <Radio value="days" label={say('erase')} disabled={readOnly} />
        </Stack>
      </Radio.Group>
      {erases && (
        <>
          <NumberField
            label={say('days')}
            description={say('days_hint', range)}
            value={days}
            onChange={onDays}
            allowDecimal={false}
            allowNegative={false}
            readOnly={readOnly}
            maw={260}
            error={isRight(days) ? null : say('days_wrong', range)}
          />
          <Text size="sm" c="dimmed">
            {say('what_goes')}
          </Text>
        </>
      )}
    </>
  );
}

type AskProps = {
  days: number | undefined;
  opened: boolean;
  save: { isPending: boolean; error: Problem | null };
  onErase: () => void;
  onClose: () => void;
};

/** The confirmation of a shorter retention shows what will be erased, and the name of the organization to type. */
function AskToErase({ days, opened, save, onErase, onClose }: AskProps): ReactNode {
  const say = useTexts(texts);
  return (
    <DeleteDialog
      opened={opened}
      onClose={onClose}
      title={say('confirm_title')}
      name={useOrganization().name}
      ask={say('confirm_ask')}
      act={say('confirm_act')}
      busy={save.isPending}
      problem={save.error}
      onAct={onErase}
    >
      <Stack gap="xs">
        <span>{say('confirm_words', { count: days ?? 0, days: number(say.language, days ?? 0) })}</span>
        {isRight(days) && <Preview days={days} />}
      </Stack>
    </DeleteDialog>
  );
}

/** Shows the conversations that saving would erase. */
function Preview({ days }: { days: number }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [asked] = useDebouncedValue(days, TYPING_MS);
  const read = useRead('previewRetention', { params: { org_id }, query: { days: asked } }, { keep: true });
  if (read.isPending) return <Skeleton h={20} w={320} />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  const { conversations, more } = read.data;
  if (conversations === 0 && !more) return <Text size="sm">{say('preview_none')}</Text>;
  const many = number(say.language, conversations);
  return (
    <Text size="sm" fw={600} role="status">
      {more ? say('preview_more', { many }) : say('preview', { count: conversations, many })}
    </Text>
  );
}

import { Alert, Anchor, Button, Group, Modal, Switch, Text, TextInput } from '@mantine/core';
import { IconCreditCard, IconKey } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import type { KeyRecord, NewKey } from '../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { readAnew, useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import agentClasses from '../agents/agents.module.css';
import { useShownOnceGuard } from '../../parts/shown-once.tsx';
import { ShownOnce } from '../settings/integrations/api-keys/create/shown-once.tsx';
import { RevokeDialog, RotateDialog } from '../settings/integrations/api-keys/dialogs.tsx';
import { LastUsed, Prefix, Standing } from '../settings/integrations/api-keys/key-parts.tsx';
import { networkFaults, networksOf, OptionalNetworks } from '../settings/integrations/api-keys/networks-field.tsx';
import { LostValue } from '../settings/integrations/api-keys/lost-value.tsx';
import { usePeopleNames } from '../settings/integrations/api-keys/names.ts';
import { UpgradeLink } from '../settings/integrations/api-keys/upgrade-link.tsx';
import { words } from './words.ts';
import classes from './campaigns.module.css';

const route = getRouteApi('/inside/campaigns/$campaign_id');
const PAGE = 10;
const LOOK_AGAIN_MS = 2_000;

/** The keys of one campaign: made here and nowhere else, shown once, listed, revoked. */
export function CampaignKeys({ campaign }: { campaign: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const organization = useOrganization();
  const mayManage = useMay('admin');
  const { created } = route.useSearch();
  const navigate = route.useNavigate();
  const who = usePeopleNames();
  const list = useListState<object>([]);
  const [all, setAll] = useState(false);
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState(false);
  const [act, setAct] = useState<{ verb: 'revoke' | 'rotate'; item: KeyRecord } | null>(null);
  const keys = useRead(
    'listKeys',
    {
      params: { org_id: organization.id },
      query: { campaign_id: campaign.id, state: all ? 'all' : undefined, cursor: list.cursor, limit: PAGE },
    },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const setCreated = (id: string | undefined): void =>
    void navigate({ to: '.', search: { tab: 'keys' as const, created: id }, replace: true, resetScroll: false });
  const mayCreate = mayManage && organization.plan === 'paid' && campaign.state !== 'ended';
  const createButton = mayCreate && (
    <Button leftSection={<IconKey size={16} />} onClick={() => setCreating(true)}>
      {say('key_create')}
    </Button>
  );
  const columns: Column<KeyRecord>[] = [
    {
      id: 'label',
      label: say('key_label'),
      cell: (item) => (
        <div>
          <Link
            to="/settings/integrations/api-keys/$key_id"
            params={{ key_id: item.id }}
            className={agentClasses.name}
            dir="auto"
          >
            {item.label}
          </Link>
          <Group gap={5}>
            <Standing item={item} who={who} />
          </Group>
        </div>
      ),
    },
    { id: 'prefix', label: say('key_prefix'), cell: ({ prefix }) => <Prefix prefix={prefix} /> },
    { id: 'created', label: say('created'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'last_used', label: say('last_used'), cell: (item) => <LastUsed item={item} /> },
  ];
  if (mayManage)
    columns.push({
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      cell: (item) =>
        item.state === 'active' ? (
          <Group gap={2} justify="flex-end" wrap="nowrap">
            {organization.plan === 'paid' && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                aria-label={say('rotate_label', { label: item.label })}
                onClick={() => setAct({ verb: 'rotate', item })}
              >
                {say('rotate')}
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={say('revoke_label', { label: item.label })}
              onClick={() => setAct({ verb: 'revoke', item })}
            >
              {say('revoke')}
            </Button>
          </Group>
        ) : null,
    });
  return (
    <section className={classes.section} aria-label={say('key')}>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <div className={classes.words}>
          <h2>{say('key')}</h2>
          <Text size="sm" c="dimmed">
            {say('key_hint')}{' '}
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/settings/integrations/api-keys" search={{ scope: 'campaign' }} {...props} />
              )}
            >
              {say('key_all')}
            </Anchor>
          </Text>
        </div>
        <Group gap="md">
          <Switch
            label={say('revoked_shown')}
            checked={all}
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
          {organization.plan === 'free' ? <UpgradeLink /> : (keys.data?.data.length ?? 0) > 0 && createButton}
        </Group>
      </Group>
      {organization.plan === 'free' && (
        <Alert color="orange" icon={<IconCreditCard size={18} />} mb="md">
          {say('key_free')}
        </Alert>
      )}
      {created && !shown && <LostValue keyId={created} onDismiss={() => setCreated(undefined)} />}
      <PagedList
        label={say('key')}
        list={list}
        read={keys}
        columns={columns}
        faded={({ state }) => state !== 'active'}
        icon={<IconKey size={26} />}
        none={
          <Empty icon={<IconKey size={26} />} title={say('key_none')} action={createButton}>
            {!mayManage && say('key_role', { role: sayCommon(`role_${organization.role}`) })}
          </Empty>
        }
      />
      <CreateDialog
        campaign={campaign}
        opened={creating}
        onMade={({ id }) => {
          setShown(true);
          setCreated(id);
        }}
        onClose={() => {
          setCreating(false);
          setShown(false);
          setCreated(undefined);
        }}
      />
      <RevokeDialog item={act?.verb === 'revoke' ? act.item : null} onClose={() => setAct(null)} />
      <RotateDialog item={act?.verb === 'rotate' ? act.item : null} onClose={() => setAct(null)} />
    </section>
  );
}

type DialogProps = {
  campaign: CampaignRecord;
  opened: boolean;
  onMade: (made: NewKey) => void;
  onClose: () => void;
};

/** As for any other key: the form, then the value once. After it closes the value is in no part of the page. */
function CreateDialog({ campaign, opened, onMade, onClose }: DialogProps): ReactNode {
  const say = useWords(words);
  const client = useQueryClient();
  const [made, setMade] = useState<NewKey | null>(null);
  const close = (): void => {
    setMade(null);
    onClose();
    void readAnew(client, ['listKeys', 'readOverview']);
  };
  const guard = useShownOnceGuard(made !== null, close);
  return (
    <Modal
      opened={opened}
      onClose={made ? guard.ask : onClose}
      title={say(made ? 'key_ready' : 'key_create')}
      size={made ? 680 : 'md'}
    >
      {made ? (
        <ShownOnce made={made} guard={guard} />
      ) : (
        <CreateForm
          campaign={campaign}
          onClose={onClose}
          onMade={(key) => {
            setMade(key);
            onMade(key);
          }}
        />
      )}
    </Modal>
  );
}

function CreateForm({ campaign, onMade, onClose }: Omit<DialogProps, 'opened'>): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  // The list is read again when the dialog closes.
  const create = useAct('createKey', { refresh: [] });
  const form = useCheckedForm({ label: '', allowed_networks: '' }, () => ({
    label: (value) => (value.trim() === '' ? say('key_label_missing') : null),
  }));
  const submit = form.submit(({ label, allowed_networks }) => {
    const networks = networksOf(allowed_networks);
    create.mutate(
      {
        params: { org_id },
        body: {
          label: label.trim(),
          scope: 'campaign',
          campaign_id: campaign.id,
          ...(networks.length > 0 && { allowed_networks: networks }),
        },
      },
      {
        onSuccess: (made) => {
          // The answer with the value is not kept beside the dialog.
          create.reset();
          onMade(made);
        },
        onError: (problem) => {
          form.place(problem);
          const fault = networkFaults(problem, networks);
          if (fault) form.setFieldError('allowed_networks', fault);
        },
      },
    );
  });
  return (
    <DialogForm
      onSubmit={submit}
      act={say('key_create')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <TextInput
        label={say('key_label')}
        description={say('key_label_hint')}
        withAsterisk
        maxLength={MAX_LABEL_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('label')}
      />
      <OptionalNetworks {...form.getInputProps('allowed_networks')} />
    </DialogForm>
  );
}

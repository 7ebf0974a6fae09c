import { Alert, Button, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import {
  JOIN_ROLES,
  type SetSignInProviderBody,
  type SignInSettings,
} from '../../../../../contract/dashboard/sign-in-provider.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { CopyFact, Facts } from '../../../parts/fact.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { texts } from './texts.ts';

type Props = { orgId: string; settings: SignInSettings };
type Values = {
  issuer: string;
  client_id: string;
  client_secret: string;
  default_role: (typeof JOIN_ROLES)[number];
  state: 'on' | 'off';
};

const valuesOf = (provider: SignInSettings['provider']): Values => ({
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  default_role: provider?.default_role ?? 'member',
  state: provider?.enabled === false ? 'off' : 'on',
});

/**
 * Another owner may have changed the other fields. An empty secret means that the stored secret stays, and
 * another issuer needs its own client.
 */
const changesOf = ({ client_secret, ...values }: Values, stored: Values): SetSignInProviderBody => {
  const [issuer, client_id] = [values.issuer.trim(), values.client_id.trim()];
  const isOther = issuer !== stored.issuer;
  return {
    ...(isOther && { issuer }),
    ...((isOther || client_id !== stored.client_id) && { client_id }),
    ...(values.default_role !== stored.default_role && { default_role: values.default_role }),
    ...(values.state !== stored.state && { enabled: values.state === 'on' }),
    ...(client_secret !== '' && { client_secret }),
  };
};

export function ProviderCard({ orgId, settings }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { provider } = settings;
  const set = useAct('setSignInProvider', { refresh: ['readSignInSettings'] });
  const check = useAct('checkSignInProvider', { refresh: [] });
  const params = { org_id: orgId };
  const stored = valuesOf(provider);
  const form = useCheckedForm<Values>(stored, (common) => ({
    issuer: (value) => (value.trim() === '' ? common('required') : null),
    client_id: (value) => (value.trim() === '' ? common('required') : null),
    client_secret: (value, { issuer }) =>
      value === '' && issuer.trim() !== provider?.issuer ? common('required') : null,
  }));
  const { issuer } = form.values;
  const hasIssuer = (): boolean => {
    if (issuer.trim() !== '') return true;
    form.setFieldError('issuer', sayCommon('required'));
    form.focus('issuer');
    return false;
  };

  const submit = form.submit((values) => {
    check.reset();
    const onSuccess = (): void => {
      form.settled(values);
      notifyDone(say('saved'));
    };
    const body = changesOf(values, stored);
    if (Object.keys(body).length === 0) return onSuccess();
    set.mutate({ params, body }, { onSuccess, onError: form.place });
  });
  const problem = form.unplaced(set.error) ?? form.unplaced(check.error);
  return (
    <form onSubmit={submit} noValidate>
      <Card
        title={say('provider')}
        description={say('provider_hint')}
        footer={
          <>
            {provider && <RemoveProvider orgId={orgId} />}
            <Button
              variant="default"
              loading={check.isPending}
              onClick={() => {
                set.reset();
                if (hasIssuer()) check.mutate({ params, body: { issuer: issuer.trim() } }, { onError: form.place });
              }}
            >
              {say('test')}
            </Button>
            <Button type="submit" loading={set.isPending}>
              {say('save')}
            </Button>
          </>
        }
      >
        <Stack>
          <Facts>
            <CopyFact label={say('callback_url')} value={settings.callback_url} copyLabel={say('copy_callback_url')} />
          </Facts>
          <Fields form={form} isStored={provider !== null} />
          {problem && <ProblemAlert problem={problem} />}
          {check.data && <Works issuer={check.data.issuer} address={check.data.authorization_endpoint} />}
        </Stack>
      </Card>
    </form>
  );
}

/** Shows the metadata of the provider after a successful test. */
function Works({ issuer, address }: { issuer: string; address: string }): ReactNode {
  const say = useTexts(texts);
  return (
    <Alert color="blue" icon={<IconCircleCheck size={18} />} title={say('works')} role="status">
      {say.rich('works_hint', { issuer: <code>{issuer}</code>, address: <code>{address}</code> })}
    </Alert>
  );
}

type FieldsProps = { form: ReturnType<typeof useCheckedForm<Values>>; isStored: boolean };

function Fields({ form, isStored }: FieldsProps): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  return (
    <>
      <TextInput
        label={say('issuer')}
        description={say('issuer_hint')}
        type="url"
        autoComplete="off"
        maw={560}
        classNames={{ input: 'ltr' }}
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label={say('client_id')}
        autoComplete="off"
        maw={560}
        classNames={{ input: 'ltr' }}
        {...form.getInputProps('client_id')}
      />
      <PasswordInput
        label={say('client_secret')}
        description={say(isStored ? 'secret_kept' : 'secret_hint')}
        autoComplete="off"
        maw={560}
        visibilityToggleButtonProps={{ 'aria-label': say('show_secret') }}
        {...form.getInputProps('client_secret')}
      />
      <NativeSelect
        label={say('default_role')}
        description={say('default_role_hint')}
        maw={560}
        data={JOIN_ROLES.map((role) => ({ value: role, label: sayCommon(`role_${role}`) }))}
        {...form.getInputProps('default_role')}
      />
      <NativeSelect
        label={say('state')}
        maw={560}
        data={(['on', 'off'] as const).map((state) => ({ value: state, label: say(state) }))}
        {...form.getInputProps('state')}
      />
    </>
  );
}

function RemoveProvider({ orgId }: { orgId: string }): ReactNode {
  const say = useTexts(texts);
  const remove = useAct('removeSignInProvider', { refresh: ['readSignInSettings'] });
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="subtle" color="gray" me="auto" onClick={() => setAsking(true)}>
        {say('remove')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={say('remove_title')}
        act={say('remove')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() =>
          remove.mutate(
            { params: { org_id: orgId } },
            {
              onSuccess: () => {
                setAsking(false);
                notifyDone(say('removed'));
              },
            },
          )
        }
      >
        <Text size="sm">{say('remove_words')}</Text>
      </ConfirmDialog>
    </>
  );
}

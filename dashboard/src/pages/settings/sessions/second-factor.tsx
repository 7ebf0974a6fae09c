import { Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { PagePending } from '../../../parts/page-pending.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useFocus } from '../../../parts/use-focus.ts';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { factorTexts } from './factor-texts.ts';
import { PasskeysCard } from './passkeys-card.tsx';
import { RecoveryCodesCard, RecoveryCodesDialog } from './recovery-codes.tsx';
import classes from './sessions.module.css';

/** Shows the second factors of the user. */
export function SecondFactor(): ReactNode {
  const say = useTexts(factorTexts);
  const factor = useRead('readSecondFactor', {});
  const [codes, setCodes] = useState<string[] | null>(null);
  const renew = useRef<HTMLButtonElement>(null);
  const focusOn = useFocus();
  const { data } = factor;
  const hasFactor = data !== undefined && (data.authenticator !== null || data.passkeys.length > 0);
  return (
    <section aria-label={say('factor')} className={classes.sessions}>
      <h2 className={classes.heading}>{say('factor')}</h2>
      <Text size="sm" c="dimmed" mb="sm">
        {say('factor_hint')}
      </Text>
      {factor.error && <ProblemAlert problem={factor.error} onRetry={() => void factor.refetch()} />}
      {factor.isPending && <PagePending />}
      {data && (
        <>
          <AuthenticatorCard confirmedAt={data.authenticator?.confirmed_at ?? null} onCodes={setCodes} />
          <PasskeysCard {...data} onCodes={setCodes} />
          {hasFactor && <RecoveryCodesCard left={data.recovery_codes_left} onCodes={setCodes} renewRef={renew} />}
        </>
      )}
      <RecoveryCodesDialog
        codes={codes}
        onClose={() => {
          setCodes(null);
          // The dialog was opened from another dialog, which no longer exists, so the focus moves to the button.
          focusOn(() => renew.current);
        }}
      />
    </section>
  );
}

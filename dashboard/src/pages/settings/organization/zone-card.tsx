import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { browserTimeZone } from '../../../parts/browser-time-zone.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ZoneSelect } from '../../../parts/zone-select.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { texts } from '../texts.ts';

/** The card sets the time zone with which new working hours and campaigns start. */
export function ZoneCard(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { id, time_zone: stored, role } = useOrganization();
  const may = useMay('admin');
  const save = useAct('updateOrganization', { refresh: ['readSession', 'listAudit'] });
  const [chosen, setChosen] = useState<string | null>(null);
  // Without a choice, the field follows the stored time zone, which another member may change.
  const zone = chosen ?? stored ?? browserTimeZone();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { params: { org_id: id }, body: { time_zone: zone } },
          {
            onSuccess: () => {
              setChosen((now) => (now === zone ? null : now));
              notifyDone(say('time_zone_saved'));
            },
          },
        );
      }}
    >
      <Card
        title={say('time_zone')}
        description={say('time_zone_hint')}
        footer={
          may ? (
            <Button
              type="submit"
              // The proposed time zone of the browser is no edit, so another card may have the main button.
              variant={stored === null ? 'default' : 'filled'}
              disabled={zone === stored}
              loading={save.isPending}
            >
              {sayCommon('save')}
            </Button>
          ) : (
            <Text size="sm" c="dimmed" me="auto">
              {say('admins_only', { role: sayCommon(`role_${role}`) })}
            </Text>
          )
        }
      >
        <ZoneSelect aria-label={say('time_zone')} maw={420} disabled={!may} value={zone} onChange={setChosen} />
        {stored === null && (
          <Text size="sm" c="dimmed" mt="xs">
            {say('time_zone_unset')}
          </Text>
        )}
        {save.error && <ProblemAlert problem={save.error} />}
      </Card>
    </form>
  );
}

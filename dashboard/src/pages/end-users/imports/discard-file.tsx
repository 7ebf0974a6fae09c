import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ImportRecord } from '../../../../../contract/dashboard/imports.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';

/** A waiting file uses the space of another file. */
export function DiscardFile({ item, onDiscarded }: { item: ImportRecord; onDiscarded: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const cancel = useAct('cancelImport', { refresh: ['listImports'] });
  return (
    <>
      <Button
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ params: { org_id, import_id: item.id } }, { onSuccess: onDiscarded })}
      >
        {say('discard')}
      </Button>
      {cancel.error && <ProblemAlert problem={cancel.error} />}
    </>
  );
}

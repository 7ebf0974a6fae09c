import { Anchor, Group } from '@mantine/core';
import { IconBook, IconFileCode } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { regionName } from '../../../../language/format.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { CopyFact, Fact } from '../../../../parts/fact.tsx';
import { useSession } from '../../../../session/session.ts';
import { texts } from '../../../../parts/api-keys/texts.ts';
import classes from '../../../../parts/api-keys/api-keys.module.css';

/** The card shows the base URL for the keys below, and a link to the documentation. */
export function BaseUrlCard(): ReactNode {
  const say = useTexts(texts);
  const { base_url, region } = useSession();
  return (
    <section className={classes.place} aria-label={say('base_url')}>
      <div className={classes.placeUrl}>
        <CopyFact label={say('base_url')} value={base_url} copyLabel={say('copy_base_url')} />
      </div>
      <Fact label={say('region')}>
        <span>
          {regionName(say.language, region)} <code>({region})</code>. {say('region_only')}
        </span>
      </Fact>
      <div className={classes.placeLinks}>
        <Anchor href="/docs" target="_blank" rel="noreferrer" inherit>
          <Group gap={6} component="span">
            <IconBook size={16} aria-hidden="true" />
            {say('reference')}
          </Group>
        </Anchor>
        <Anchor href="/api/openapi.json" target="_blank" rel="noreferrer" inherit>
          <Group gap={6} component="span">
            <IconFileCode size={16} aria-hidden="true" />
            {say('openapi')}
          </Group>
        </Anchor>
      </div>
    </section>
  );
}

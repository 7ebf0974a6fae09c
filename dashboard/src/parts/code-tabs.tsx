import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './code-tabs.module.css';

export type CodeTab = { name: string; code: string };

/** Shows code samples in several languages, each with a copy button. */
export function CodeTabs({ tabs, label }: { tabs: readonly CodeTab[]; label: string }): ReactNode {
  return (
    <Tabs defaultValue={tabs[0]!.name} variant="pills" classNames={{ list: classes.list, tab: classes.tab }}>
      <Tabs.List aria-label={label} dir="ltr">
        {tabs.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock code={code} label={name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

export function CodeBlock({ code, label }: { code: string; label: string }): ReactNode {
  return (
    <div className={classes.block} data-copy-scope>
      <pre className={classes.pre} tabIndex={0} aria-label={label} data-copy-source>
        {code}
      </pre>
      <div className={classes.copy}>
        <CopyButton text={code} />
      </div>
    </div>
  );
}

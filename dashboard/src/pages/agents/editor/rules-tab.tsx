import { Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Rule } from '../../../../../contract/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { ItemCards } from './item-cards.tsx';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import classes from '../agents.module.css';
import pageClasses from '../../../parts/page.module.css';

const MAX_RULES = 200;
const MAX_WORDS = 100;
const ACTIONS = ['hand_off', 'opt_out', 'complete', 'start_steps'] as const;

export function RulesTab(): ReactNode {
  const say = useTexts(texts);
  const { definition, change } = useEditor();
  const rules = definition.rules ?? [];
  return (
    <Card title={say('tab_rules')} description={say('rules_hint')}>
      <ItemCards
        label={say('tab_rules')}
        items={rules}
        onChange={(next) => change({ rules: next })}
        make={(): Rule => ({ name: `${say('tab_rules')} ${rules.length + 1}` })}
        add={say('add_rule')}
        empty={say('rules_empty')}
        max={MAX_RULES}
        titleOf={({ name }) => name}
        hintOf={({ action }) => say(action ? `action_${action}` : 'action_none')}
        pointer="/rules"
      >
        {(rule, set, pointer) => <RuleFields rule={rule} set={set} pointer={pointer} />}
      </ItemCards>
    </Card>
  );
}

type Props = { rule: Rule; set: (part: Partial<Rule>) => void; pointer: string };

function RuleFields({ rule, set, pointer }: Props): ReactNode {
  const say = useTexts(texts);
  const { fault, readOnly } = useEditor();
  return (
    <>
      <TextInput
        label={say('rule_name')}
        withAsterisk
        maxLength={100}
        readOnly={readOnly}
        value={rule.name}
        error={fault(`${pointer}/name`)}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TagsInput
        label={say('rule_words')}
        description={say('rule_words_hint')}
        dir="auto"
        splitChars={[',', '،']}
        maxTags={MAX_WORDS}
        readOnly={readOnly}
        value={rule.words ?? []}
        error={fault(`${pointer}/words`) ?? fault(pointer)}
        onChange={(next) => set({ words: next })}
      />
      <TextInput
        label={say('rule_pattern')}
        description={say('rule_pattern_hint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        className={pageClasses.mono}
        maxLength={500}
        readOnly={readOnly}
        autoComplete="off"
        value={rule.pattern ?? ''}
        error={fault(`${pointer}/pattern`)}
        onChange={(event) => set({ pattern: event.currentTarget.value })}
      />
      <LocalizedField
        label={say('rule_reply')}
        value={rule.reply}
        pointer={`${pointer}/reply`}
        onChange={(reply) => set({ reply })}
      />
      <div className={classes.row}>
        <TextInput
          label={say('rule_tag')}
          maxLength={64}
          readOnly={readOnly}
          value={rule.tag ?? ''}
          error={fault(`${pointer}/tag`)}
          onChange={(event) => set({ tag: event.currentTarget.value })}
        />
        <Select
          label={say('rule_action')}
          allowDeselect={false}
          readOnly={readOnly}
          value={rule.action ?? 'none'}
          error={fault(`${pointer}/action`)}
          data={(['none', ...ACTIONS] as const).map((value) => ({ value, label: say(`action_${value}`) }))}
          onChange={(value) => set({ action: ACTIONS.find((one) => one === value) })}
        />
      </div>
    </>
  );
}

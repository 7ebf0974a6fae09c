import { ActionIcon } from '@mantine/core';
import { IconBulb, IconDots, IconSchool, IconTestPipe } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ConversationMessage } from '../../../../contract/dashboard/conversations.ts';
import { useTexts } from '../../language/texts.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { teachTexts } from '../../parts/questions/teach-texts.ts';
import { testTexts } from '../../parts/test-cases/texts.ts';
import { useMay } from '../../session/session.ts';
import { changeTexts } from './change-texts.ts';
import classes from './conversations.module.css';

type Props = {
  message: ConversationMessage;
  isExplained: boolean;
  onExplain: () => void;
  onCorrect: () => void;
  /** The value is absent if the answer belongs to no question. */
  onTeach: (() => void) | undefined;
};

/**
 * The menu has the actions on an answer of the agent. The button of the menu is visible on hover and focus, and always
 * on touch.
 */
export function AnswerMenu({ message, isExplained, onExplain, onCorrect, onTeach }: Props): ReactNode {
  const say = useTexts(changeTexts);
  const sayTest = useTexts(testTexts);
  const sayTeach = useTexts(teachTexts);
  const may = useMay('member');
  if (message.why === null) return null;
  return (
    <Menu
      label={say('more')}
      align="end"
      button={(opener) => (
        <ActionIcon
          {...opener}
          size={24}
          variant="subtle"
          color="gray"
          className={classes.more}
          aria-label={say('more')}
        >
          <IconDots size={16} />
        </ActionIcon>
      )}
    >
      <MenuItem icon={<IconBulb size={16} />} onClick={onExplain}>
        {say(isExplained ? 'why_hide' : 'why')}
      </MenuItem>
      {may && message.role === 'agent' && (
        <MenuItem icon={<IconTestPipe size={16} />} onClick={onCorrect}>
          {sayTest('should_have_been')}
        </MenuItem>
      )}
      {may && message.role === 'agent' && onTeach && (
        <MenuItem icon={<IconSchool size={16} />} onClick={onTeach}>
          {sayTeach('teach_answer')}
        </MenuItem>
      )}
    </Menu>
  );
}

import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    agent: 'Agent',
    any_agent: 'Any agent',
    search_agents: 'Search your agents',
    no_such_agent: 'No agent with this name',
    gone_agent: 'Deleted agent',
    name: 'Name',
    name_missing: 'Enter a name.',
    agent_missing: 'Choose an agent.',
  },
  {
    agent: 'الوكيل',
    any_agent: 'أي وكيل',
    search_agents: 'ابحث في وكلائك',
    no_such_agent: 'لا وكيل بهذا الاسم',
    gone_agent: 'وكيل محذوف',
    name: 'الاسم',
    name_missing: 'أدخل اسمًا.',
    agent_missing: 'اختر وكيلًا.',
  },
);

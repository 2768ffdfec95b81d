import {
  BookOpen,
  Bot,
  CalendarDays,
  ChartNoAxesColumn,
  Columns4,
  CreditCard,
  Globe,
  Image,
  LayoutTemplate,
  type LucideIcon,
  Mail,
  Megaphone,
  PenLine,
  PhoneCall,
  Sparkles,
  Users,
  UsersRound,
  Workflow,
} from 'lucide-react'

/** `coming` is said on the page: a tool that is not in this version is not sold as if it were. */
export type Feature = { title: string; text: string; icon: LucideIcon; coming?: true }

export const features: Feature[] = [
  { title: 'White-labeled workflow builder', text: 'Draw what should happen, under your own name.', icon: Workflow, coming: true },
  { title: 'Voice and chat agents', text: 'Agents that answer, qualify and book while you work.', icon: PhoneCall, coming: true },
  { title: 'Thousands of templates', text: 'A library to start from, growing with every seller.', icon: LayoutTemplate, coming: true },
  { title: 'Private community', text: 'Ask the people who run the same machine.', icon: UsersRound, coming: true },
  { title: 'CRM integrations', text: 'Every lead, its history and the next step.', icon: Users },
  { title: 'Calendar integrations', text: 'Meetings that find their own hour.', icon: CalendarDays, coming: true },
  { title: 'Payments', text: 'Plans, invoices and what you are owed, to the cent.', icon: CreditCard },
  { title: 'Business and domain finder', text: 'A name that fits, and the address that goes with it.', icon: Globe },
  { title: 'AI image generation', text: 'Headshots, logos and product shots from a sentence.', icon: Image, coming: true },
  { title: 'AI assistant comparison', text: 'Four models answer side by side; you keep the best.', icon: Columns4 },
  { title: 'Content creator', text: 'Articles, posts, scripts and mails in your voice.', icon: PenLine },
  { title: 'Social ads manager', text: 'Ad variations that respect every limit.', icon: Megaphone },
  { title: 'Notes workspace', text: 'Your Notion pages where the work is.', icon: BookOpen, coming: true },
  { title: 'Email studio', text: 'Write, schedule and send; see what came of it.', icon: Mail, coming: true },
  { title: 'Analytics dashboard', text: 'What changed, against the period before.', icon: ChartNoAxesColumn },
  { title: 'Personal AI assistant', text: 'Ask for it in words. It asks before it spends or sends.', icon: Sparkles },
]

export const assistantIcon = Bot

import { useQuery } from '@tanstack/react-query'
import { Bell, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { OwnPicture } from '../../chat/OwnPicture.tsx'
import { product } from '../../content/product.ts'
import { sampleActivity, sampleStats } from '../../content/samples.ts'
import { ThemeToggle } from '../../shell/ThemeToggle.tsx'
import { Button, ButtonLink, FileButton, IconButton } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { ActivityList, Avatar, CopyField, GeneMeter, Kbd, Stat, StatRow, Table } from '../../ui/Data.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import {
  Checkbox,
  Field,
  Options,
  PasswordField,
  SearchAsTyped,
  SearchForm,
  SelectField,
  Switch,
  TextArea,
  TextField,
} from '../../ui/Field.tsx'
import { Figures } from '../../ui/Figures.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { Busy, EmptyRow, GeneRow, Mark, Wordmark } from '../../ui/Mark.tsx'
import { Markdown, OwnPictures } from '../../ui/Markdown.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { FieldInput } from '../../ui/OwnField.tsx'
import { Alert, Asked, EmptyState, ErrorState, PageHeader, Panel, Pill, SamplePill, Skeleton } from '../../ui/Panel.tsx'
import { Papers } from '../../ui/Papers.tsx'
import { Photos } from '../../ui/Photos.tsx'
import { Questions, withKey } from '../../ui/Questions.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
import { StarPicker, Stars } from '../../ui/Stars.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { SendAgain, WaitForCode } from '../../ui/WaitForCode.tsx'
import { ConversationParts } from './Conversations.tsx'

const failing = { isPending: false, isError: true, error: new Error('The server did not answer.'), refetch: () => toast.info('Tried') }

/** Every component of the design system on one page, in development only; a test holds it to that. */
export function DevUiPage() {
  const [questions, setQuestions] = useState(() => [withKey({ label: 'What is it about?', required: false })])
  const [open, setOpen] = useState<'dialog' | 'form' | 'sheet' | 'confirm'>()
  const [on, setOn] = useState(true)
  const made = useQuery({ queryKey: ['dev-figures'], queryFn: () => ({ count: 12 }), initialData: { count: 12 } })
  const [days, setDays] = useState(7)
  const [tab, setTab] = useState<'a' | 'b'>('a')
  return (
    <main className="mx-auto flex max-w-[72rem] flex-col gap-6 p-8">
      <PageHeader title="Design system" description="What a page is made of." actions={<ThemeToggle />} />
      <Group title="Mark">
        <Mark className="h-8" title="Operon" />
        <Wordmark name={product.name} />
        <Busy />
        <EmptyRow />
        <GeneRow genes={[{ width: 74 }, { width: 34 }, { width: 56, state: 'coming' }]} />
      </Group>
      <Group title="Buttons">
        <Button variant="primary">Primary</Button>
        <Button>Secondary</Button>
        <FileButton onFiles={(files) => toast.info(`${files.length} chosen`)}>Choose files</FileButton>
        <Button variant="ghost">Ghost</Button>
        <Button variant="danger">
          <Trash2 />
          Danger
        </Button>
        <ButtonLink to="/">A link</ButtonLink>
        <Button busy="Saving">Save</Button>
        <Button disabled>Disabled</Button>
        <Button size="public" variant="primary">
          Public size
        </Button>
        <IconButton label="Notifications" hint="G N">
          <Bell />
        </IconButton>
      </Group>
      <Panel title="Fields">
        <div className="grid gap-4 md:grid-cols-2">
          <TextField label="Name" hint="How the dashboard greets you." />
          <SearchAsTyped query="" onChange={() => {}} placeholder="Name or email" />
          <SearchForm label="Search products" value="" onSearch={() => {}} />
          <TextField label="Email" error="This address is taken." defaultValue="mara@studio.example" />
          <PasswordField label="Password" />
          <SelectField label="Range">
            <Options
              of={[
                [7, '7 days'],
                [30, '30 days'],
              ]}
            />
          </SelectField>
          <TextArea label="Notes" />
          <FieldInput field={{ id: 'seats', name: 'A field of one’s own', kind: 'number', options: [] }} />
          <Questions of={questions} onChange={setQuestions} most={2} fresh={() => withKey({ label: '', required: false })} />
          <Field label="A control of its own" hint="Label, hint and error around anything.">
            {({ id }) => <input id={id} type="range" className="accent-signal-text" />}
          </Field>
          <div className="flex flex-col gap-3">
            <Checkbox defaultChecked>Checked</Checkbox>
            <Checkbox>Not checked</Checkbox>
            <Switch checked={on} onChange={setOn} label="A switch" />
          </div>
        </div>
      </Panel>
      <Group title="One of a few">
        <Choices label="Time range" of={[7, 30]} chosen={days} choose={setDays}>
          {(span) => `${span} days`}
        </Choices>
        <Asked query={failing} failed="The figures could not be loaded" />
      </Group>
      <Group title="Pills">
        <Pill>Neutral</Pill>
        <Pill tone="signal">Signal</Pill>
        <Pill tone="good">Good</Pill>
        <Pill tone="warn">Warn</Pill>
        <Pill tone="bad">Bad</Pill>
        <Pill tone="info">Info</Pill>
        <SamplePill />
        <Avatar email="mara@studio.example" />
        <Kbd>Ctrl K</Kbd>
      </Group>
      <Group title="Floating">
        <Button onClick={() => setOpen('dialog')}>Dialog</Button>
        <Button onClick={() => setOpen('form')}>Form</Button>
        <Button onClick={() => setOpen('sheet')}>Side panel</Button>
        <Button onClick={() => setOpen('confirm')}>Confirm</Button>
        <Menu trigger={(props) => <Button {...props}>Menu</Button>} align="start">
          <MenuItem hint="E">Edit</MenuItem>
          <MenuSeparator />
          <MenuItem danger>Delete</MenuItem>
        </Menu>
        <Button onClick={() => toast.success('Saved', 'It is safe.')}>Toast</Button>
        <Button onClick={() => toast.error('Not saved', 'The server did not answer.')}>Error toast</Button>
        <Button onClick={() => toast.undo('Contact deleted', () => toast.success('Back again'))}>Undo</Button>
      </Group>
      <Tabs
        label="Example"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'a', label: 'First', panel: <p className="pt-4">First panel</p> },
          { id: 'b', label: 'Second', panel: <p className="pt-4">Second panel</p> },
        ]}
      />
      <Tabs
        look="segment"
        label="Segments"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'a', label: 'One', panel: <p className="pt-4">One of two</p> },
          { id: 'b', label: 'Other', panel: <p className="pt-4">The other</p> },
        ]}
      />
      <StatRow>
        <Stat label="Loading" loading change={0} />
        <Stat label="Falling" value="12" change={-8} />
        <Stat label="Rising" value="8" change={12} />
        <Stat label="As before" value="0" change={0} />
      </StatRow>
      <StatRow>
        {sampleStats.map((stat) => (
          <Stat key={stat.label} {...stat} />
        ))}
      </StatRow>
      <div className="grid gap-6 md:grid-cols-2">
        <Panel title="Activity" badge={<SamplePill />} flush>
          <ActivityList entries={sampleActivity} />
        </Panel>
        <Panel title="Meters">
          <div className="flex flex-col gap-4">
            <GeneMeter label="Below" used={320} limit={1000} />
            <GeneMeter label="Near" used={860} limit={1000} />
            <GeneMeter label="Full" used={1000} limit={1000} />
            <GeneMeter label="Unlimited" used={320} limit={null} />
          </div>
        </Panel>
        <Panel flush>
          <EmptyState title="Nothing yet" action={<Button variant="primary">Start one</Button>}>
            What it is for, and how it starts.
          </EmptyState>
        </Panel>
        <Panel flush>
          <ErrorState retry={() => toast.info('Tried')} />
        </Panel>
      </div>
      <Panel title="A section's head" flush>
        <SectionHead title="One idea at the left.">The sentence under it at the right.</SectionHead>
      </Panel>
      <ConversationParts />
      <Panel title="Text of a model">
        <Markdown>{'A **list**, a `word of code` and\n\n- one\n- two\n\n```\nblock()\n```'}</Markdown>
        {/* Nobody's picture: what a conversation shows once one is gone. */}
        <OwnPictures value={OwnPicture}>
          <OwnPicture id="00000000-0000-7000-8000-000000000000" alt="A red bicycle" />
        </OwnPictures>
      </Panel>
      <Alert tone="warn" title="A warning">
        80% is used.
      </Alert>
      <Alert tone="info" title="Good to know">
        Nothing to do.
      </Alert>
      <Alert title="An alert">Something to fix.</Alert>
      <Alert tone="good" title="Good">
        Done.
      </Alert>
      <WaitForCode send={async () => ({ error: null })} check={async () => ({ error: { message: 'Not a real code.' } })} />
      <SendAgain send={async () => ({ error: null })} />
      <CopyField label="Link" value="https://example.com/marketplace/mara" open />
      <Skeleton className="h-10 w-full" />
      <Group title="Papers">
        <Papers
          papers={[
            { id: '1', kind: 'invoice', number: 'INV-2026-000001', at: '2026-11-24T10:00:00.000Z', amount_cents: 4900, currency: 'usd' },
            { id: '2', kind: 'credit_note', number: 'CN-2026-000001', at: '2026-11-25T10:00:00.000Z', amount_cents: 1900, currency: 'usd' },
          ]}
          open={async () => ({ filename: 'example.pdf', content_type: 'application/pdf', pdf: '' })}
        />
      </Group>
      <Group title="Photos">
        <Photos of={['/og.png', '/apple-touch-icon.png']} by="Mara" />
      </Group>
      <Figures
        id="dev-figures"
        title="Figures"
        stats={made}
        isEmpty={({ count }) => count === 0}
        figures={({ count }) => [{ label: 'Made', value: String(count) }]}
        samples={[]}
      />
      <Group title="Stars">
        <Stars rating={4} />
        <StarPicker id="dev-stars" value={3} onChange={() => undefined} />
      </Group>
      <Panel flush>
        <Table label="Example" head={['Name', 'Amount']}>
          <tr>
            <td>Row</td>
            <td className="font-mono text-12">$49</td>
          </tr>
        </Table>
      </Panel>
      <Dialog
        open={open === 'dialog'}
        onClose={() => setOpen(undefined)}
        title="A dialog"
        description="It says what it is for."
        footer={<Button onClick={() => setOpen(undefined)}>Done</Button>}
      >
        <TextField label="Name" />
      </Dialog>
      <FormDialog
        open={open === 'form'}
        onClose={() => setOpen(undefined)}
        title="A dialog with a form"
        submit="Save"
        failed="It was not saved"
        save={async () => {
          throw new Error('This form keeps nothing.')
        }}
      >
        <TextField label="Name" name="name" data-first />
      </FormDialog>
      <Dialog open={open === 'sheet'} onClose={() => setOpen(undefined)} title="A side panel" side="right">
        Keeps the list behind it.
      </Dialog>
      <Confirm
        open={open === 'confirm'}
        onClose={() => setOpen(undefined)}
        title="Delete Mara Lindt?"
        action="Delete"
        danger
        onConfirm={() => undefined}
      >
        It can be undone for ten seconds.
      </Confirm>
    </main>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel title={title}>
      <div className="flex flex-wrap items-center gap-3">{children}</div>
    </Panel>
  )
}

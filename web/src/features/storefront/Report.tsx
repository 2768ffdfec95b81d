import { Flag } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { callPublic } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField, TextArea } from '../../ui/Field.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

const reasons = {
  illegal: 'It is illegal, or sells something illegal',
  malware: 'It harms the device of its buyer',
  copied: 'It is a copy of somebody else’s work',
  misleading: 'It is not what it says it is',
  hateful: 'It is hateful or threatening',
  other: 'Something else',
} as const

/** One button for everything that breaks the rules: of a product, or of the storefront. */
export function Report({ of }: { of: { item_id: string } | { slug: string } }) {
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  async function report(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    setBusy(true)
    await attempt('Your report was not sent', async () => {
      await callPublic('report-listing', {
        ...of,
        reason: data.get('reason') as keyof typeof reasons,
        text: String(data.get('text') ?? ''),
      })
      setOpen(false)
      toast.success('Thank you. We look at every report')
    })
    setBusy(false)
  }
  return (
    <>
      <Button variant="ghost" className="-ml-3" onClick={() => setOpen(true)}>
        <Flag />
        Report
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Report"
        description="Only the staff of this site read it. The seller does not learn who reported."
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="primary" type="submit" form="report" busy={busy}>
              Send report
            </Button>
          </>
        }
      >
        <form id="report" onSubmit={report} className="flex flex-col gap-4">
          <SelectField label="What is wrong" name="reason" data-first>
            {Object.entries(reasons).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
          <TextArea label="Tell us more" name="text" maxLength={1000} />
        </form>
      </Dialog>
    </>
  )
}

import { Flag } from 'lucide-react'
import { useState } from 'react'
import { callPublic } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField, TextArea } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { toast } from '../../ui/toast.tsx'

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
  async function report(typed: (field: string) => string) {
    await callPublic('report-listing', { ...of, reason: typed('reason') as keyof typeof reasons, text: typed('text') })
    toast.success('Thank you. We look at every report')
  }
  return (
    <>
      <Button variant="ghost" className="-ml-3" onClick={() => setOpen(true)}>
        <Flag />
        Report
      </Button>
      <FormDialog
        open={open}
        onClose={() => setOpen(false)}
        title="Report"
        description="Only the staff of this site read it. The seller does not learn who reported."
        submit="Send report"
        failed="Your report was not sent"
        save={report}
      >
        <SelectField label="What is wrong" name="reason" data-first>
          <Options of={Object.entries(reasons)} />
        </SelectField>
        <TextArea label="Tell us more" name="text" maxLength={1000} />
      </FormDialog>
    </>
  )
}

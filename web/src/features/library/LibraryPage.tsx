import { useSearchParams } from 'react-router-dom'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Shelf } from './Shelf.tsx'

/** Everything that a person has uploaded or made, by the tool that keeps it. */
export function LibraryPage() {
  const [address, setAddress] = useSearchParams()
  const tab = address.get('tab') === 'products' ? 'products' : 'media'
  const q = address.get('q') ?? ''
  const change = (set: Record<string, string>) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(set)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  const onSearch = (words: string) => change({ q: words })
  return (
    <>
      <PageHeader title="Library" description="What you made and uploaded, with the space it takes in your plan." />
      <Tabs
        label="Where files are kept"
        value={tab}
        onChange={(next) => change({ tab: next === 'products' ? 'products' : '' })}
        tabs={[
          { id: 'media', label: 'Images and uploads', panel: <Shelf key="media" service="media" q={q} onSearch={onSearch} /> },
          { id: 'products', label: 'Product files', panel: <Shelf key="marketplace" service="marketplace" q={q} onSearch={onSearch} /> },
        ]}
      />
    </>
  )
}

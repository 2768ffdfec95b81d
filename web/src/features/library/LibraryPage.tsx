import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { Shelf } from './Shelf.tsx'

/** Everything that a person has uploaded or made, by the tool that keeps it. */
export function LibraryPage() {
  const { search: address, change } = useSearch()
  const tab = address.get('tab') === 'products' ? 'products' : 'media'
  const q = address.get('q') ?? ''
  const onSearch = (words: string) => change({ q: words }, true)
  return (
    <>
      <PageHeader title="Library" description="What you made and uploaded, with the space it takes in your plan." />
      <Tabs
        label="Where files are kept"
        value={tab}
        onChange={(next) => change({ tab: next === 'products' ? 'products' : '' }, true)}
        tabs={[
          { id: 'media', label: 'Images and uploads', panel: <Shelf key="media" service="media" q={q} onSearch={onSearch} /> },
          { id: 'products', label: 'Product files', panel: <Shelf key="marketplace" service="marketplace" q={q} onSearch={onSearch} /> },
        ]}
      />
    </>
  )
}

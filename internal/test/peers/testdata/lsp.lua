-- Drives cairn lsp in Neovim 0.7 and later, and prints what it shows.
local function say(name, text) io.stdout:write(name .. ': ' .. tostring(text) .. '\n') end
local function fail(text)
  io.stdout:write('failed: ' .. text .. '\n')
  vim.cmd('cquit')
end
local id = vim.lsp.start_client({ name = 'cairn', cmd = { os.getenv('CAIRN'), 'lsp' }, root_dir = vim.fn.getcwd() })
if not id then fail('no client') end
vim.lsp.buf_attach_client(0, id)
local function wait(what, ready)
  if not vim.wait(30000, ready, 50) then fail('no ' .. what) end
end
wait('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
say('diagnostic', vim.diagnostic.get(0)[1].message)

local function ask(method, params)
  local all, err = vim.lsp.buf_request_sync(0, method, params, 30000)
  if not all or not all[id] or all[id].err or all[id].error then fail(method .. ' ' .. vim.inspect(err or all)) end
  return all[id].result
end
vim.api.nvim_win_set_cursor(0, { 3, 10 })
local params = vim.lsp.util.make_position_params(0, vim.lsp.get_client_by_id(id).offset_encoding)
say('definition', vim.fn.fnamemodify(vim.uri_to_fname(ask('textDocument/definition', params).uri), ':t'))
say('hover', ask('textDocument/hover', params).contents.value:gsub('\n.*', ''))
say('symbol', ask('textDocument/documentSymbol', params)[1].name)
vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'See [[lovel' })
vim.api.nvim_win_set_cursor(0, { 4, 11 })
local there = vim.lsp.util.make_position_params(0, vim.lsp.get_client_by_id(id).offset_encoding)
there.position.character = 11
say('complete', ask('textDocument/completion', there).items[1].label)

params.newName = 'Ada King'
local edit = ask('textDocument/rename', params)
vim.lsp.util.apply_workspace_edit(edit, vim.lsp.get_client_by_id(id).offset_encoding)
say('renamed', vim.api.nvim_buf_get_lines(0, 2, 3, false)[1])
vim.lsp.stop_client(id)
vim.cmd('qall!')

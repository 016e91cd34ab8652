document.title = "Terminal – Parley";
